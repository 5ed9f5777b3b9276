# A first batch is taken before the call, so the iterator can't simply be made behind it.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset, steps):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    batches = iter(loader)
    first = next(batches)
    model.initialise(first)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
    for _ in range(steps):
        accelerator.backward(model(next(batches)).mean())
        optimizer.step()
        optimizer.zero_grad()
