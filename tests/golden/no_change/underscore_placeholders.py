# Right: as many targets as arguments; what the underscore takes is not needed again.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def overfit(dataset, steps=100):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train_loader = DataLoader(dataset, batch_size=8, shuffle=True)
    unused_loader = DataLoader(dataset, batch_size=64)
    model, optimizer, train_loader, _ = accelerator.prepare(model, optimizer, train_loader, unused_loader)

    x, y = next(iter(train_loader))
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()
