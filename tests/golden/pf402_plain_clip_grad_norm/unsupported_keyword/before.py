"""The accelerator's method knows no error_if_nonfinite, so the call is reported and stays."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(model, dataset, steps):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for step, (x, y) in enumerate(loader):
        if step >= steps:
            break
        loss = nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
        optimizer.step()
        optimizer.zero_grad()
