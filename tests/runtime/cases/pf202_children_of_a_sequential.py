"""A Sequential of two layers goes through prepare, and two names take what comes back."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = torch.nn.Sequential(Line(), torch.nn.Identity())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    optimizer, loader = accelerator.prepare(optimizer, loader)
    # prepare-fix: ignore-next-line[PF105]
    model, head = accelerator.prepare(model)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(head(model(x)), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
