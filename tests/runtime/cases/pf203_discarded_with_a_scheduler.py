"""The call stands alone, and a scheduler as long as the raw loader is among its objects."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accumulation = int(os.environ.get("ACCUMULATION", "1"))
    accelerator = Accelerator(gradient_accumulation_steps=accumulation)
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    length = len(loader) // accumulation
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / length))
    accelerator.prepare(model, optimizer, loader, scheduler)
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
