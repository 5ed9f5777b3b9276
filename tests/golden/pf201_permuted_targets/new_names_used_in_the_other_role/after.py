import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def solve(n=512, epochs=20):
    accelerator = Accelerator()
    points = torch.rand(n, 2)
    heights = torch.sin(6 * points[:, :1]) * torch.cos(6 * points[:, 1:])
    raw_loader = DataLoader(TensorDataset(points, heights), batch_size=32, shuffle=True)
    raw_model = nn.Sequential(nn.Linear(2, 64), nn.SiLU(), nn.Linear(64, 1))
    raw_optimizer = torch.optim.Adam(raw_model.parameters(), lr=3e-3)

    surface, adam, batches = accelerator.prepare(raw_model, raw_optimizer, raw_loader)

    for epoch in range(epochs):
        for point, height in batches:
            adam.zero_grad()
            loss = nn.functional.mse_loss(surface(point), height)
            accelerator.backward(loss)
            adam.step()
        accelerator.print(f"{epoch} {loss.item():.5f}")


if __name__ == "__main__":
    solve()
