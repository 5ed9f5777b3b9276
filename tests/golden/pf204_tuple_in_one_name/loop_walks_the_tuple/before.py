import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(train_set, held_out, epochs):
    accelerator = Accelerator()
    net = nn.Linear(4, 1)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    loader = DataLoader(train_set, batch_size=8, shuffle=True)
    held_out_loader = DataLoader(held_out, batch_size=8)
    net, optimizer = accelerator.prepare(net, optimizer)
    loader = accelerator.prepare(loader, held_out_loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(net(batch).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()
    return net


if __name__ == "__main__":
    fit(torch.rand(32, 4), torch.rand(8, 4), epochs=2)
