# Right: `.module` is taken only where the model has one.
import torch
from accelerate import Accelerator


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    bare = model.module if hasattr(model, "module") else model
    torch.save(bare.state_dict(), out)
    if hasattr(model, "module"):
        return model.module
    return model
