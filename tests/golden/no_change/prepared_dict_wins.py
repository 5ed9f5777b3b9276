# Right: where two dicts are joined, what stands in both comes from the right one, which holds the prepared objects.
import torch
from accelerate import Accelerator


def train(model, loader):
    accelerator = Accelerator()
    raw = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "clip": 1.0}
    model, optimizer, loader = accelerator.prepare(raw["model"], raw["optimizer"], loader)
    parts = raw | dict(model=model, optimizer=optimizer)
    for batch in loader:
        accelerator.backward(parts["model"](batch).mean())
        parts["optimizer"].step()
        parts["optimizer"].zero_grad()
