import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = torch.nn.Linear(5, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loader = DataLoader(torch.randn(9000, 5), batch_size=3, shuffle=True)
model, optimizer, batches = accelerator.prepare(model, optimizer, iter(loader))

for _ in range(1000):
    batch = next(batches)
    accelerator.backward(model(batch).square().mean())
    optimizer.step()
    optimizer.zero_grad()
