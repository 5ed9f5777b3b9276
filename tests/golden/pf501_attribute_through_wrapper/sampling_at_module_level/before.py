import torch
from accelerate import Accelerator
from torch import nn


class Flow(nn.Module):
    def __init__(self, dim=2):
        super().__init__()
        self.dim = dim
        self.net = nn.Sequential(nn.Linear(dim + 1, 64), nn.SiLU(), nn.Linear(64, dim))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], dim=-1))

    @torch.no_grad()
    def sample(self, count, steps=20):
        x = torch.randn(count, self.dim)
        for i in range(steps):
            x = x + self(x, torch.full((count, 1), i / steps)) / steps
        return x


accelerator = Accelerator()
flow = Flow()
optimizer = torch.optim.AdamW(flow.parameters(), lr=1e-3)
loader = torch.utils.data.DataLoader(torch.randn(256, 2), batch_size=32, shuffle=True)
flow, optimizer, loader = accelerator.prepare(flow, optimizer, loader)

for epoch in range(10):
    for x1 in loader:
        x0, t = torch.randn_like(x1), torch.rand(len(x1), 1)
        loss = (flow(x0 + t * (x1 - x0), t) - (x1 - x0)).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    if epoch % 5 == 0:
        with torch.no_grad():
            samples = flow.sample(8)
        accelerator.print(samples)
