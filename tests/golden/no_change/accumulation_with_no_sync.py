# Right: accumulation is made by hand with no_sync and a default accelerator, so the division belongs here.
import contextlib

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, dataset, every=4, epochs=1):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(epochs):
        for number, (x, y) in enumerate(loader, start=1):
            last = number % every == 0 or number == len(loader)
            with contextlib.nullcontext() if last else accelerator.no_sync(model):
                loss = nn.functional.cross_entropy(model(x), y) / every
                accelerator.backward(loss)
            if last:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
