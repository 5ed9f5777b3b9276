"""The targets of two loaders have changed places."""

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
    held_out = DataLoader(Samples(), batch_size=16)
    model, optimizer, held_out, loader = accelerator.prepare(model, optimizer, loader, held_out)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    with torch.no_grad():
        for x, y in held_out:
            model(x)
    report(model, optimizer)


if __name__ == "__main__":
    main()
