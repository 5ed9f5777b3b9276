import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()

grid = torch.linspace(-1, 1, 1024).unsqueeze(1)
loader = DataLoader(TensorDataset(grid, grid.abs()), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10 * len(loader))

accelerator.prepare(model, optimizer, loader, scheduler)

for epoch in range(10):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
    accelerator.print(f"{epoch}: {loss.item():.5f}")
