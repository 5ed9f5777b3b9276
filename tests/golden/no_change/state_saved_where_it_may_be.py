# Unclear: without names from accelerate, it depends on the way of running whether one process may save the state alone.
import torch
from accelerate import Accelerator


def train(model, loader, folder):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    if accelerator.is_main_process:
        accelerator.save_state(folder)
