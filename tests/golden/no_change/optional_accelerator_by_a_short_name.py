# Right: what steps without the accelerator is reached only where there is none, whatever its name is.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(model, dataset, accelerate=False):
    acc = Accelerator(gradient_accumulation_steps=2) if accelerate else None
    plain_optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    if acc:
        model, optimizer, loader = acc.prepare(model, plain_optimizer, loader)
    for x, y in loader:
        if not acc:
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            plain_optimizer.step()
            plain_optimizer.zero_grad()
            continue
        with acc.accumulate(model):
            acc.backward(nn.functional.mse_loss(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
