import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(gradient_accumulation_steps=4)

x = torch.randn(640, 32)
loader = DataLoader(TensorDataset(x, x.argmax(dim=1)), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
opt = optimizer
opt.param_groups[0]["momentum"] = 0.9

model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for epoch in range(3):
    for features, target in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(features), target)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
    accelerator.print(f"epoch {epoch}: {loss.item():.4f}")
