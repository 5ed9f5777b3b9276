import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, epochs):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    schedule = decay
    for epoch in range(epochs):
        for features, wanted in loader:
            accelerator.backward(nn.functional.mse_loss(model(features), wanted))
            optimizer.step()
            optimizer.zero_grad()
        schedule.step()
