import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def descend(accelerator, loss, optimizer):
    if accelerator.is_main_process:
        print(loss.item())
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()


def fit(dataset):
    accelerator = Accelerator()
    probe = nn.Linear(16, 1)
    fast = torch.optim.SGD(probe.parameters(), lr=0.1)
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for features, wanted in loader:
        descend(accelerator, nn.functional.mse_loss(model(features), wanted), optimizer)
        descend(accelerator, nn.functional.l1_loss(probe(features), wanted), fast)
