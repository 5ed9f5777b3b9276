import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(dataset):
    accelerator = Accelerator()
    model = nn.Linear(10, 1)
    model = accelerator.prepare(model)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
