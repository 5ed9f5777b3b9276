# Right: the raw schedule is stepped by hand, once for each real update and with a length that counts updates.
import math

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(model, dataset, accumulation=8, epochs=2):
    accelerator = Accelerator(gradient_accumulation_steps=accumulation)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    loader = DataLoader(dataset, batch_size=4, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = epochs * math.ceil(len(loader) / accumulation)
    warmup = max(1, updates // 20)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda n: min((n + 1) / warmup, max(0.0, (updates - n) / (updates - warmup)))
    )

    for _ in range(epochs):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                schedule.step()
