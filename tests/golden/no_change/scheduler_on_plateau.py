# Right: ReduceLROnPlateau follows a metric that all processes share, and stays raw.
import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader


def fit(model, train_set, val_set, patience=3, epochs=50):
    accelerator = Accelerator()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    plateau = ReduceLROnPlateau(optimizer, mode="min", factor=0.5, patience=patience)
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=128)
    model, optimizer, train_loader, val_loader = accelerator.prepare(model, optimizer, train_loader, val_loader)

    for _ in range(epochs):
        model.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            accelerator.backward(nn.functional.mse_loss(model(x), y))
            optimizer.step()

        model.eval()
        errors = []
        with torch.no_grad():
            for x, y in val_loader:
                errors.append(accelerator.gather_for_metrics((model(x) - y).square()))
        val_loss = torch.cat(errors).mean().item()
        plateau.step(val_loss)
        accelerator.print(f"{val_loss:.4f}")
