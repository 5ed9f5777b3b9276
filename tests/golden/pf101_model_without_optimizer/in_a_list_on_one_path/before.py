# The list that the second call takes is no place to put an optimizer beside.
import torch
from accelerate import Accelerator
from torch import nn


def train(dataset, evaluate):
    accelerator = Accelerator()
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(dataset)
    if evaluate:
        model, loader = accelerator.prepare(model, loader)
    else:
        models = [model]
        models, loader = accelerator.prepare(models, loader)
    for features, targets in loader:
        loss = nn.functional.mse_loss(model(features), targets)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
