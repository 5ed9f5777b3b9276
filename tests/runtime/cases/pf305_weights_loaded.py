"""Weights of a file go into the prepared model."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, folder, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    torch.save(model.state_dict(), f"{folder()}/weights-{accelerator.process_index}.pt")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    model.load_state_dict(torch.load(f"{folder()}/weights-{accelerator.process_index}.pt"))
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
