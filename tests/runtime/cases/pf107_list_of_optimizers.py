"""The optimizer goes through in a list beside the model."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1)]
    loader = DataLoader(Samples(), batch_size=2)
    model, optimizers, loader = accelerator.prepare(model, optimizers, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
    report(model, optimizers[0])


if __name__ == "__main__":
    main()
