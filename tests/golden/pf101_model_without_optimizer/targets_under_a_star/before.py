import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, held_out):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loaders = [DataLoader(dataset, batch_size=8, shuffle=True), DataLoader(held_out)]
    model, *rest = accelerator.prepare(model, loaders[0], loaders[1])
    for features, wanted in rest[0]:
        accelerator.backward(nn.functional.mse_loss(model(features), wanted))
        optimizer.step()
        optimizer.zero_grad()
