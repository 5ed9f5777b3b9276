import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    network, loader = accelerator.prepare(model, DataLoader(dataset, batch_size=8, shuffle=True))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for features, wanted in loader:
        accelerator.backward(nn.functional.mse_loss(network(features), wanted))
        optimizer.step()
        optimizer.zero_grad()
