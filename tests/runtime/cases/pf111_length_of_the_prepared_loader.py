"""The schedule is as long as the prepared loader, and the scheduler is prepared too."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    steps = int(os.environ.get("ACCUMULATION", "1"))
    accelerator = Accelerator(gradient_accumulation_steps=steps)
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=len(loader) // steps)
    scheduler = accelerator.prepare(scheduler)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
