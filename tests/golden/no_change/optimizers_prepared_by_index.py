# Right: a different member of the list is prepared in each round.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, groups=4):
    accelerator = Accelerator()
    model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(groups)])
    optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in model]
    loader = DataLoader(dataset, batch_size=2)
    model, loader = accelerator.prepare(model, loader)
    for i in range(len(optimizers)):
        optimizers[i] = accelerator.prepare(optimizers[i])
    for batch in loader:
        accelerator.backward(model(batch).square().mean())
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
