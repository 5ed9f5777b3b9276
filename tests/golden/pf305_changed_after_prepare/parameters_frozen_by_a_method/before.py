import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, epochs):
    accelerator = Accelerator()
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=8)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for name, weight in net.named_parameters():
        weight.requires_grad_(name.endswith("bias"))
        if "0." in name:
            weight.requires_grad_(False)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(net(batch).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    fit(torch.rand(32, 4), epochs=2)
