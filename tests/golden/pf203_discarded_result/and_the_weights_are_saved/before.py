import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, epochs):
    accelerator = Accelerator()
    net = nn.Linear(4, 1)
    optimizer = optim.Adam(net.parameters(), lr=1e-2)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    accelerator.prepare(net, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            loss = net(batch).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    if accelerator.is_main_process:
        torch.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    fit(torch.rand(32, 4), epochs=2)
