# Right: the class has no `config`, which is put on the prepared model itself, wrapper or not.
import torch
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    def __init__(self, width, *, scale=1.0):
        super().__init__()
        self.layer = nn.Linear(width, 1)
        self.scale = scale

    def forward(self, x):
        return self.layer(x) * self.scale


def train(loader, settings):
    accelerator = Accelerator()
    model = Net(settings.width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    setattr(model, "config", settings)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(model.config.width)
