# Right: backward() of this function serves both callers, with and without an accelerator.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def backward(loss, accelerator=None):
    if accelerator is not None:
        accelerator.backward(loss)
    else:
        loss.backward()


def loop(model, optimizer, loader, accelerator=None):
    for x, y in loader:
        loss = nn.functional.l1_loss(model(x), y)
        backward(loss, accelerator)
        optimizer.step()
        optimizer.zero_grad()


def main(dataset, distributed):
    model = nn.Linear(12, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=24, shuffle=True)
    if not distributed:
        return loop(model, optimizer, loader)
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    return loop(model, optimizer, loader, accelerator)
