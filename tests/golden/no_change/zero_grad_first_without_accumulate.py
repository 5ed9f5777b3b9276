# Right: without accumulate it does not matter whether the gradients are cleared first or last.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
x = torch.rand(256, 2)
loader = DataLoader(TensorDataset(x, (x.sum(dim=1) > 1).float()), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Flatten(0))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for epoch in range(5):
    for points, above in loader:
        model.zero_grad(set_to_none=True)
        loss = nn.functional.binary_cross_entropy_with_logits(model(points), above)
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(f"{epoch}: {loss.item():.4f}")
