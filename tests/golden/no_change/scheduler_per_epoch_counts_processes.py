# Right: the horizon of the prepared schedule is multiplied by the number of processes, though it steps per epoch.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader


def train(model, dataset, epochs=10):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs * accelerator.num_processes)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            accelerator.backward((model(x) - y).square().mean())
            optimizer.step()
        scheduler.step()
