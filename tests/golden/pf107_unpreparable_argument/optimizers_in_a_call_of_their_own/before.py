# What is in the list is prepared in no call, so it is not prepared apart from its model either.
import torch
from accelerate import Accelerator
from torch import nn


def train(encoder, decoder, loader):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = nn.Sequential(encoder, decoder)
    optimizers = [torch.optim.AdamW(part.parameters(), lr=rate) for part, rate in ((encoder, 1e-5), (decoder, 1e-4))]
    model, loader = accelerator.prepare(model, loader)
    optimizers = accelerator.prepare(optimizers)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).mean())
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()
