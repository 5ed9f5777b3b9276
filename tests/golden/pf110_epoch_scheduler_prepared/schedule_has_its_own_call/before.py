import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
points = torch.randn(1024, 2)
loader = DataLoader(TensorDataset(points, points.norm(dim=1)), batch_size=32, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1), torch.nn.Flatten(0))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[10, 15])
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
scheduler = accelerator.prepare(scheduler)

for epoch in range(20):
    for xy, radius in loader:
        loss = torch.nn.functional.mse_loss(model(xy), radius)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()
