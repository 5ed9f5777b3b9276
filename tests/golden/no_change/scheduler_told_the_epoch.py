# Right: a step that says which epoch it is comes to the same, however often it is made.
import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator()
net = nn.Linear(6, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.8)
batches = torch.utils.data.DataLoader(torch.randn(96, 6), batch_size=12)
net, optimizer, batches, schedule = accelerator.prepare(net, optimizer, batches, schedule)
for epoch in range(5):
    for batch in batches:
        accelerator.backward(net(batch).square().mean())
        optimizer.step()
        optimizer.zero_grad()
    schedule.step(epoch)
