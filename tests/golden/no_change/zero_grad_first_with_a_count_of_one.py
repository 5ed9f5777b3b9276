# Right: with one micro batch per update the block changes nothing, and neither does the order in it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

STEPS = 1


def train(dataset):
    accelerator = Accelerator(gradient_accumulation_steps=STEPS)
    model = nn.Linear(6, 6)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            optimizer.zero_grad()
            loss = model(batch).square().mean() / STEPS
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
