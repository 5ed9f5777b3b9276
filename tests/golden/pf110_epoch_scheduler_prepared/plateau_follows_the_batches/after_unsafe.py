import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, look_every):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for index, (features, wanted) in enumerate(loader):
        loss = nn.functional.mse_loss(model(features), wanted)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if index % look_every == 0:
            plateau.step(accelerator.gather(loss).mean())
