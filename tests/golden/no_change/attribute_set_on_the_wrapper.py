# Right: what is read was put on the prepared model itself, wrapper or not.
import torch
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    step = 0

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


def train(loader):
    accelerator = Accelerator()
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    model.step = 0
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        model.step = model.step + 1
