import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for features, wanted in loader:
        with accelerator.accumulate(model):
            model.zero_grad()
            accelerator.backward(nn.functional.mse_loss(model(features), wanted))
            optimizer.step()
            optimizer.zero_grad()
