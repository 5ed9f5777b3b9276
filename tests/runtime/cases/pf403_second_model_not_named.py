"""Two models train, and accumulate names one of them."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    offset = Line()
    groups = [{"params": model.parameters()}, {"params": offset.parameters(), "lr": 0.0}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    model, offset, optimizer, loader = accelerator.prepare(model, offset, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x) + offset(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
