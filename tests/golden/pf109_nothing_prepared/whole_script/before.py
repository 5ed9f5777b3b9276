"""Train a small regressor."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x)


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    dataset = TensorDataset(torch.randn(256, 10), torch.randn(256, 1))
    train_loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model = Regressor().to(accelerator.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=400)

    for epoch in range(50):
        for x, y in train_loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        accelerator.print(f"{epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
