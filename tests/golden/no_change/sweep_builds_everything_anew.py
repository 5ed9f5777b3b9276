# Right: each round of the sweep has objects of its own, which are prepared once.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def sweep(dataset, rates):
    accelerator = Accelerator()
    losses = {}
    for rate in rates:
        model = nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        loader = DataLoader(dataset, batch_size=2, shuffle=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for batch in loader:
            loss = model(batch).square().mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        losses[rate] = loss.item()
    return losses
