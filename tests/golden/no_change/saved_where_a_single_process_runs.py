# Right: the wrapper's own state dict is written where the number of processes says that there is no wrapper.
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
    if accelerator.num_processes == 1:
        torch.save(model.state_dict(), out)
    elif accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(model).state_dict(), out)
