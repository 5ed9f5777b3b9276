# Right: the inner loop gathers the gradients of one group, the step stands behind it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, groups, per_group=4):
    accelerator = Accelerator(gradient_accumulation_steps=per_group)
    model = nn.Linear(7, 7)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(groups):
        for index, batch in enumerate(loader):
            accelerator.backward(model(batch).square().mean())
            if index + 1 == per_group:
                break
        optimizer.step()
        optimizer.zero_grad()
