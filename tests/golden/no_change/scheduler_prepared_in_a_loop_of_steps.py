# Right: the outer loop counts steps and takes one batch each, there are no epochs.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_cosine_schedule_with_warmup


def cycle(loader):
    while True:
        yield from loader


def train(model, dataset, steps=20_000, every=4):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scheduler = get_cosine_schedule_with_warmup(optimizer, 500, steps * accelerator.num_processes)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    batches = cycle(loader)
    for step in range(steps):
        for _ in range(every):
            with accelerator.accumulate(model):
                accelerator.backward(model(next(batches)).mean())
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        if step % 100 == 0:
            accelerator.print(step)
