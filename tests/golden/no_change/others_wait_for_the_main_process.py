# Right: the others wait first and the main process joins them when its work is done.
import torch
from accelerate import Accelerator


def train(model, download, make_loader):
    accelerator = Accelerator()
    if not accelerator.is_local_main_process:
        accelerator.wait_for_everyone()
    data = download()
    if accelerator.is_local_main_process:
        accelerator.wait_for_everyone()
    loader = make_loader(data)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
