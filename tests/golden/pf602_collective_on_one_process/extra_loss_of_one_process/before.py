import torch
from accelerate import Accelerator


def train(model, loader, probe):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process:
            extra = model(probe).square().mean()
            accelerator.backward(extra)
            optimizer.step()
            optimizer.zero_grad()
