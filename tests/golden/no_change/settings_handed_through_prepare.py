# Unclear: numbers, settings and what a factory gave come back as they went in, which may be all that is wanted.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from my_project import build_extras


def train(model, dataset, limits=(0.1, 0.9)):
    accelerator = Accelerator()
    extras = build_extras(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader, extras, bounds = accelerator.prepare(model, optimizer, loader, extras, [0.0, 1.0])
    for batch in loader:
        accelerator.backward(model(batch, extras).clamp(*bounds).mean())
        optimizer.step()
        optimizer.zero_grad()
