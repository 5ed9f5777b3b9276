"""Parameters frozen before prepare, thawed after it, or asked for: none of that stops DDP."""

import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, epochs):
    accelerator = Accelerator()
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    for weight in net[0].parameters():
        weight.requires_grad_(False)
    optimizer = optim.SGD(net[1].parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=8)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    for weight in net.parameters():
        weight.requires_grad_(True)
        weight.requires_grad_()
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(net(batch).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()
    for weight in net.parameters():
        weight.requires_grad_(False)


if __name__ == "__main__":
    fit(torch.rand(32, 4), epochs=2)
