# Right: with split_batches the loader keeps its length over all processes, so a raw schedule of that length fits.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup

accelerator = Accelerator(split_batches=True)
model = torch.nn.Linear(16, 16)
loader = DataLoader(torch.randn(640, 16), batch_size=64, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_linear_schedule_with_warmup(optimizer, 10, 5 * len(loader))
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for _ in range(5):
    for rows in loader:
        accelerator.backward((model(rows) - rows).square().mean())
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
