# Right: the condition also says that there are no other processes.
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
        if accelerator.is_main_process and accelerator.num_processes == 1:
            print(accelerator.gather(model(batch).detach()).mean())
        if accelerator.is_main_process or accelerator.sync_gradients:
            accelerator.wait_for_everyone()
