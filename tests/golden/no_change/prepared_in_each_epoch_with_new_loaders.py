# Right: the loader of each epoch is a new one, and the only one that is prepared in the loop.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(make_dataset, epochs):
    accelerator = Accelerator()
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer = accelerator.prepare(model, optimizer)
    for epoch in range(epochs):
        loader = accelerator.prepare(DataLoader(make_dataset(epoch), batch_size=2))
        for batch in loader:
            accelerator.backward(model(batch).square().mean())
            optimizer.step()
            optimizer.zero_grad()
