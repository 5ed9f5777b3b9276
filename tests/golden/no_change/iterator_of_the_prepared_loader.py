# Right: the loader is prepared first, and what cycles over it is made from the result.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def infinite(loader):
    while True:
        yield from loader


def train(model, dataset, steps):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    batches = infinite(loader)
    for _ in range(steps):
        accelerator.backward(model(next(batches)).mean())
        optimizer.step()
        optimizer.zero_grad()
