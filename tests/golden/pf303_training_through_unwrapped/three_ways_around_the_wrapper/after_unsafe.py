import torch
from accelerate import Accelerator
from accelerate.utils import extract_model_from_parallel
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for features, wanted in loader:
        far = nn.functional.mse_loss(model(features), wanted)
        off = nn.functional.l1_loss(model(features), wanted)
        size = model(torch.zeros_like(features)).square().mean()
        accelerator.backward(far + off + size)
        optimizer.step()
        optimizer.zero_grad()
