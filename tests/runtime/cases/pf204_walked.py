"""One name takes two loaders and is walked batch by batch."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    held_out = DataLoader(Samples(), batch_size=2)
    model, optimizer = accelerator.prepare(model, optimizer)
    loader = accelerator.prepare(loader, held_out)
    for batch in loader:
        with accelerator.accumulate(model):
            loss = model(batch[0]).sub(batch[1]).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
