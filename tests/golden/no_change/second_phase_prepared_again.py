# Right: the second phase has a new optimizer and a new loader, and prepares both with the model.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(small, large):
    accelerator = Accelerator()
    model = nn.Linear(12, 2)
    for dataset, rate in ((small, 1e-2), (large, 1e-3)):
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        loader = DataLoader(dataset, batch_size=8)
        trained, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            accelerator.backward(trained(batch).square().mean())
            optimizer.step()
            optimizer.zero_grad()
