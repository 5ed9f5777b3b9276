"""The wrapper is asked for a method of the class that saves."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, folder, report


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line = Line()
        self.unit = "metres"

    def save_pretrained(self, path):
        torch.save(self.state_dict(), path)

    def forward(self, x):
        return self.line(x)


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    model.save_pretrained(f"{folder()}/weights-{accelerator.process_index}.pt")
    report(model, optimizer)


if __name__ == "__main__":
    main()
