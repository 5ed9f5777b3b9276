# Right: the class itself has a `module`, as the wrapper of another library would.
import torch
from accelerate import Accelerator
from torch import nn


class Normalised(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return self.scale * self.module(x)


def train(inner, loader):
    accelerator = Accelerator()
    model = Normalised(inner)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    return model.module
