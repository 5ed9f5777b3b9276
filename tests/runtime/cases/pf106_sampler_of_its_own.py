"""The loader has a sampler that shares out the samples, and is prepared."""

import os

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler

from toy import Line, Samples, report


def main():
    accelerator = Accelerator(gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")))
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    samples = Samples()
    sampler = DistributedSampler(samples, accelerator.num_processes, accelerator.process_index, shuffle=False)
    loader = DataLoader(samples, batch_size=2, sampler=sampler)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    report(model, optimizer)


if __name__ == "__main__":
    main()
