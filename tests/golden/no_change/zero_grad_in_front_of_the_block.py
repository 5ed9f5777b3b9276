# Right: in front of the block the optimizer still knows that the last micro batch ended a group, or did not.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(dataset, batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        optimizer.zero_grad()
        with accelerator.accumulate(model):
            accelerator.backward((model(x) - y).abs().mean())
            optimizer.step()
