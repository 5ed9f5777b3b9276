# Right: the prepared schedule counts what all processes see together, or the raw one what one of them sees.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import LinearLR


def multiplied(model, loader, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = LinearLR(optimizer, total_iters=len(loader) * epochs * accelerator.num_processes)
    scheduler = accelerator.prepare(scheduler)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def counted_before(model, loader, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = LinearLR(optimizer, total_iters=len(loader) * epochs)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def left_raw(model, loader, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = LinearLR(optimizer, total_iters=len(loader) * epochs)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()


def multiplied_by_another_name(model, loader, epochs):
    accelerator = Accelerator()
    world_size = accelerator.num_processes
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = len(loader) * world_size
    scheduler = accelerator.prepare(LinearLR(optimizer, total_iters=total * epochs))
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
