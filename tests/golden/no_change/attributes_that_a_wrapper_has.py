# Right: all of these work through a wrapper: its own names, those of every module, and `device`.
import torch
from accelerate import Accelerator
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)

    def train(self, mode=True):
        super().train(mode)
        return self


def train(loader):
    accelerator = Accelerator()
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    model.train()
    accelerator.print(model.device, model.training, sum(p.numel() for p in model.parameters()))
    for name, parameter in model.named_parameters():
        accelerator.print(name, parameter.shape)
    for batch in loader:
        accelerator.backward(model.forward(batch.to(model.device)).mean())
        optimizer.step()
        optimizer.zero_grad()
