"""The model zeroes the gradients behind the step."""

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
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            model.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
