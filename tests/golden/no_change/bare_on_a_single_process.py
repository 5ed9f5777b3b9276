# Right: the bare model trains only where a single process runs.
import torch
from accelerate import Accelerator


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        if accelerator.num_processes == 1:
            loss = accelerator.unwrap_model(model)(batch).mean()
        else:
            loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
