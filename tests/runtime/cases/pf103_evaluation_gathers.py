"""The loader of an evaluation that gathers is left out of the call."""

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
    held_out = DataLoader([torch.tensor([index / 8]) for index in range(8)], batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    gathered = 0
    for x in held_out:
        with torch.no_grad():
            gathered += len(accelerator.gather_for_metrics(model(x)))
    report(model, optimizer, gathered=gathered)


if __name__ == "__main__":
    main()
