# Right: step_scheduler_with_optimizer=False makes a prepared scheduler follow each call exactly once.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

accelerator = Accelerator(step_scheduler_with_optimizer=False)
model = nn.Linear(20, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
rows = [(torch.randn(20), index % 4) for index in range(400)]
loader = DataLoader(rows, batch_size=20, shuffle=True)
model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

for epoch in range(6):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()
    accelerator.print(f"{epoch}: {loss.item():.3f}")
