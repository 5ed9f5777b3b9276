# Right: the second accelerator has never seen the model.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

first = Accelerator()
accelerator = Accelerator(mixed_precision="bf16")
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.randn(64, 4), batch_size=2)
model, optimizer, loader = first.prepare(model, optimizer, loader)
for batch in loader:
    first.backward(model(batch).square().mean())
    optimizer.step()
    optimizer.zero_grad()
model, optimizer = accelerator.prepare(model, optimizer)
