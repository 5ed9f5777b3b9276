# Right: everything is collected in a list, starred into prepare and unpacked again.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, train_set, val_set=None, epochs=3):
    accelerator = Accelerator()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    objects = [model, optimizer, train_loader]
    if val_set is not None:
        objects.append(DataLoader(val_set, batch_size=64))
    model, optimizer, train_loader, *rest = accelerator.prepare(*objects)
    val_loader = rest[0] if rest else None

    for epoch in range(epochs):
        for x, y in train_loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if val_loader is not None:
            with torch.no_grad():
                errors = [accelerator.gather_for_metrics((model(x) - y).abs()) for x, y in val_loader]
            accelerator.print(f"epoch {epoch}: {torch.cat(errors).mean().item():.4f}")
