# Right: loader and scheduler go through their own methods, model and optimizer together through prepare.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, epochs=3):
    accelerator = Accelerator()
    model = nn.TransformerEncoderLayer(64, 4, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))

    model, optimizer = accelerator.prepare(model, optimizer)
    loader = accelerator.prepare_data_loader(loader)
    scheduler = accelerator.prepare_scheduler(scheduler)

    for _ in range(epochs):
        for x in loader:
            masked = x * (torch.rand(x.shape[:2], device=x.device) > 0.2).unsqueeze(-1)
            loss = nn.functional.mse_loss(model(masked), x)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
