"""A layer is frozen after the call."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, report


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line = Line()
        self.offset = Line()

    def forward(self, x):
        return self.line(x) + self.offset(x)


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for parameter in accelerator.unwrap_model(model).offset.parameters():
        parameter.requires_grad = False
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(accelerator.unwrap_model(model).line, optimizer)


if __name__ == "__main__":
    main()
