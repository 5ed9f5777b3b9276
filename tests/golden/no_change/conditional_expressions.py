# Right: objects that are absent stay None, in a conditional expression and as an argument of prepare.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import get_constant_schedule_with_warmup


def train(model, train_set, val_set=None, warmup=None, epochs=2):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    train_loader = DataLoader(train_set, batch_size=16, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=32) if val_set is not None else None
    schedule = get_constant_schedule_with_warmup(optimizer, warmup) if warmup else None

    model, optimizer, train_loader, schedule = accelerator.prepare(model, optimizer, train_loader, schedule)
    val_loader = accelerator.prepare(val_loader) if val_loader is not None else None

    for _ in range(epochs):
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            if schedule is not None:
                schedule.step()
            optimizer.zero_grad()
        if val_loader is not None:
            with torch.no_grad():
                hits = [accelerator.gather_for_metrics(model(x).argmax(1) == y) for x, y in val_loader]
            accelerator.print(f"{torch.cat(hits).float().mean().item():.3f}")
