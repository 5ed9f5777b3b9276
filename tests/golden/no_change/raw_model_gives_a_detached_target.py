# Right: no gradient flows back to what is detached, so the raw model only gives a target, and the loss is divided once.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def distil(raw, dataset, steps):
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    optimizer = torch.optim.AdamW(raw.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8)
    model, optimizer, loader = accelerator.prepare(raw, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            outputs = model(batch)
            target = raw(batch).detach()
            scale = (outputs.abs().mean() / steps).detach()
            loss = ((outputs - target).pow(2) * scale).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
