import torch
from accelerate import Accelerator
from torch import nn


def main(loader):
    accelerator = Accelerator()
    model = nn.Linear(8, 8)
    critic = nn.Linear(8, 1)
    optimizer = torch.optim.SGD([*model.parameters(), *critic.parameters()], lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    if accelerator.process_index == 0:
        critic = accelerator.prepare(critic)
    for x in loader:
        accelerator.backward((model(x) - x).square().mean())
        optimizer.step()
        optimizer.zero_grad()
