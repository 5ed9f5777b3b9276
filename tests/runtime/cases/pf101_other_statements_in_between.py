"""The optimizer is built behind the call and a statement that has nothing to do with it."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    loader = DataLoader(Samples(), batch_size=2)
    model, loader = accelerator.prepare(model, loader)
    rate = float(os.environ.get("RATE", "0.1"))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
