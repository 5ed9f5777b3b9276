# Right: a schedule of the author's own, no LRScheduler: prepare would hand it back untouched.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class InverseSquareRoot:
    def __init__(self, optimizer, warmup_steps, peak):
        self.optimizer = optimizer
        self.warmup_steps = warmup_steps
        self.peak = peak
        self.count = 0

    def step(self):
        self.count += 1
        factor = min(self.count / self.warmup_steps, (self.warmup_steps / self.count) ** 0.5)
        for group in self.optimizer.param_groups:
            group["lr"] = self.peak * factor


def train(model, dataset, epochs=5):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0)
    schedule = InverseSquareRoot(optimizer, warmup_steps=len(loader) // 2, peak=7e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
