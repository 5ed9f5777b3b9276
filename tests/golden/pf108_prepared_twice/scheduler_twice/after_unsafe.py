import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.2, total_steps=500)
loader = DataLoader(torch.randn(500, 3), batch_size=1)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
scheduler = accelerator.prepare_scheduler(scheduler)

for batch in loader:
    accelerator.backward(model(batch).square().mean())
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
