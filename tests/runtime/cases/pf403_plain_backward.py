"""The accelerator has a count, the loss is divided by it by hand, and the loop has no accumulate."""

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
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y) / accumulation
        # prepare-fix: ignore-next-line[PF401]
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
