# Right: the second creation belongs to the other branch.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, use_accelerate):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    accelerator = Accelerator(cpu=not use_accelerate)
    if use_accelerate:
        loader = DataLoader(dataset, batch_size=4)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    else:
        loader = DataLoader(dataset, batch_size=32)
        model, optimizer = accelerator.prepare(model, optimizer)
        loader = accelerator.prepare_data_loader(loader)
    for batch in loader:
        accelerator.backward(model(batch).square().mean())
        optimizer.step()
        optimizer.zero_grad()
