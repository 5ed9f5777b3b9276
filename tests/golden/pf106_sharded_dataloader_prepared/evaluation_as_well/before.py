# Each of the two repairs leaves the import to the other sampler.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def build_loaders(train_set, val_set, accelerator, batch_size):
    train_sampler = DistributedSampler(train_set, accelerator.num_processes, accelerator.process_index)
    val_sampler = DistributedSampler(val_set, accelerator.num_processes, accelerator.process_index, False)
    train_loader = DataLoader(train_set, batch_size, sampler=train_sampler)
    val_loader = DataLoader(val_set, 2 * batch_size, sampler=val_sampler)
    return train_loader, val_loader


def train(model, train_set, val_set, epochs=10):
    accelerator = Accelerator()
    train_loader, val_loader = build_loaders(train_set, val_set, accelerator, 32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    model, optimizer = accelerator.prepare(model, optimizer)
    train_loader, val_loader = accelerator.prepare(train_loader, val_loader)
    for _ in range(epochs):
        for x, y in train_loader:
            accelerator.backward((model(x) - y).square().mean())
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            errors = [accelerator.gather_for_metrics((model(x) - y).square()) for x, y in val_loader]
        accelerator.print(torch.cat(errors).mean().item())
