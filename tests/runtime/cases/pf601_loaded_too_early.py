"""The state is loaded before anything is prepared."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from toy import Line, Samples, checkpoint, report


def train(resume):
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    if resume:
        accelerator.load_state(checkpoint())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    if not resume:
        accelerator.save_state(checkpoint())
    return model, optimizer


def main():
    train(resume=False)
    model, optimizer = train(resume=True)
    report(model, optimizer)


if __name__ == "__main__":
    main()
