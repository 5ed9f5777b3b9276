# Right: the body that is not prepared is frozen, so no gradients of it have to be averaged.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset):
    accelerator = Accelerator()
    body, head = nn.Linear(16, 8), nn.Linear(8, 1)
    body.requires_grad_(False)
    optimizer = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    head, optimizer, loader = accelerator.prepare(head, optimizer, loader)
    for features, wanted in loader:
        accelerator.backward(nn.functional.mse_loss(head(body(features)), wanted))
        optimizer.step()
        optimizer.zero_grad()
