# Right: a class of wrappers is asked for before `.module`, in a condition and in a loop.
import torch
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    if isinstance(model, DistributedDataParallel):
        accelerator.print(model.module.config)
    else:
        accelerator.print(model.config)
    while isinstance(model, DistributedDataParallel):
        model = model.module
    return model
