import torch
from accelerate import Accelerator
from torch import nn

accelerator = Accelerator()
net = nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
batches = torch.utils.data.DataLoader(torch.randn(30, 3), batch_size=5)
accelerator.load_state("checkpoints/last")
net, optimizer, batches = accelerator.prepare(
    net,
    optimizer,
    batches,
)
for x in batches:
    accelerator.backward((net(x) - x).square().mean())
    optimizer.step()
    optimizer.zero_grad()
