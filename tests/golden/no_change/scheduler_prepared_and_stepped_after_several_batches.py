# Right: prepared and stepped once for each update, behind an inner loop over micro batches.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset, updates=1000, micro_batches=8):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=2, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=updates * accelerator.num_processes)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    batches = iter(loader)
    for _ in range(updates):
        for _ in range(micro_batches):
            batch = next(batches)
            accelerator.backward(model(batch).mean() / micro_batches)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
