import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, path):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    bare = accelerator.unwrap_model(model)
    for features, wanted in loader:
        loss = nn.functional.mse_loss(model(features), wanted) + 0.1 * bare.weight.norm()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    torch.save(accelerator.unwrap_model(model).state_dict(), path)
