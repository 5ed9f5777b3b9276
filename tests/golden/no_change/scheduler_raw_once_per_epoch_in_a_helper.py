# Right: the helper walks the batches, and the schedule moves once around it, whatever the loader's length says.
import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader


def run_epoch(accelerator, model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()


def main(model, dataset, epochs=100):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=128, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = CosineAnnealingLR(optimizer, T_max=epochs)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        run_epoch(accelerator, model, loader, optimizer)
        scheduler.step()
        accelerator.print(epoch, len(loader), scheduler.get_last_lr())
