import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def update(accelerator, model, optimizer, batch):
    loss = model(batch).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    return loss.detach()


def main(dataset):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    model = nn.Linear(12, 12)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    loader = DataLoader(dataset, batch_size=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = 0.0
    for batch in loader:
        total += update(accelerator, model, optimizer, batch)
    accelerator.print(total)
