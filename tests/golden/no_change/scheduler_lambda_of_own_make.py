# Unclear: a lambda may count whatever it likes, here steps of the raw schedule over a horizon given by the caller.
import math

import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader


def warmup_cosine(warmup, total):
    def scale(step):
        if step < warmup:
            return step / max(1, warmup)
        return 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))

    return scale


def train(model, dataset, total_steps, warmup=200):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    schedule = LambdaLR(optimizer, warmup_cosine(warmup, total_steps))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    done = 0
    while done < total_steps:
        for tokens in loader:
            loss = model(tokens).loss
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            done += 1
