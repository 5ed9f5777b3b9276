# Right: a notebook turned into a script; each part makes its objects anew, the second one without an accelerator.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

# %% with Accelerate
accelerator = Accelerator()
model = nn.Linear(2, 2)
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(torch.randn(16, 2), batch_size=4)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for batch in loader:
    accelerator.backward(model(batch).square().mean())
    optimizer.step()
    optimizer.zero_grad()

# %% the same in plain PyTorch
model = nn.Linear(2, 2)
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(torch.randn(16, 2), batch_size=4)
for batch in loader:
    model(batch).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
