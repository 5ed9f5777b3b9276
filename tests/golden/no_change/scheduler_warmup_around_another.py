# Right: warm-up and decay are chained into one schedule, whose length comes from the prepared loader.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader


def train(model, dataset, epochs=20):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    per_epoch = len(loader)
    warmup = LinearLR(optimizer, start_factor=0.01, total_iters=per_epoch)
    decay = CosineAnnealingLR(optimizer, T_max=(epochs - 1) * per_epoch)
    schedule = SequentialLR(optimizer, [warmup, decay], milestones=[per_epoch])
    for _ in range(epochs):
        for x, y in loader:
            accelerator.backward(torch.nn.functional.cross_entropy(model(x), y))
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
