# Right: not a scheduler of torch; prepare would hand it back untouched.
import math

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class CosineWarmup:
    def __init__(self, optimizer, peak, warmup, total):
        self.optimizer, self.peak, self.warmup, self.total = optimizer, peak, warmup, total
        self.count = 0

    def step(self):
        self.count += 1
        if self.count < self.warmup:
            lr = self.peak * self.count / self.warmup
        else:
            progress = (self.count - self.warmup) / max(1, self.total - self.warmup)
            lr = self.peak * 0.5 * (1 + math.cos(math.pi * min(1.0, progress)))
        for group in self.optimizer.param_groups:
            group["lr"] = lr


def main(model, dataset, steps=5000):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    schedule = CosineWarmup(optimizer, peak=1e-3, warmup=100, total=steps)

    done = 0
    while done < steps:
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            done += 1
            if done == steps:
                break
