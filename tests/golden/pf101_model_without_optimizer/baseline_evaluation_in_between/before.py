"""The call cannot move down behind the optimizer: the evaluation in between runs through the prepared model."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


@torch.no_grad()
def mean_error(accelerator, model, loader):
    model.eval()
    errors = [accelerator.gather_for_metrics((model(x) - y).abs()) for x, y in loader]
    model.train()
    return torch.cat(errors).mean().item()


def main(train_set, val_set, model):
    accelerator = Accelerator()
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=64)
    model, train_loader, val_loader = accelerator.prepare(model, train_loader, val_loader)

    before = mean_error(accelerator, model, val_loader)
    accelerator.print(f"before training: {before:.4f}")
    lr = 1e-3 if before > 1.0 else 1e-4
    optimizer = torch.optim.NAdam(model.parameters(), lr=lr)

    for _ in range(10):
        for x, y in train_loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"now: {mean_error(accelerator, model, val_loader):.4f}")
