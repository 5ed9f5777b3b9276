import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, Subset


def train(dataset, choose, epochs):
    accelerator = Accelerator()
    model = nn.Linear(40, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=10, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        if epoch:
            loader = DataLoader(Subset(dataset, choose(epoch)), batch_size=10, shuffle=True)
            loader = accelerator.prepare(loader)
        for x, y in loader:
            accelerator.backward(nn.functional.cross_entropy(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
