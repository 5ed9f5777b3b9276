# Right: behind the way out the one process does what it may do alone; where all have to meet, the others meet it first,
# or nobody else runs.
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
        if accelerator.sync_gradients or not accelerator.is_main_process:
            continue
        print("gathering")
    losses = accelerator.gather(model(batch).detach())
    save(accelerator, model, losses, out)
    measure(accelerator, model, batch)
    alone(accelerator, model, batch)


def save(accelerator, model, losses, out):
    if not accelerator.is_main_process:
        accelerator.wait_for_everyone()
        return
    torch.save(accelerator.unwrap_model(model).state_dict(), out)
    print(losses.mean())
    accelerator.wait_for_everyone()


def measure(accelerator, model, batch):
    if not accelerator.is_main_process and batch is None:
        return
    print(accelerator.gather(model(batch).detach()).mean())


def alone(accelerator, model, batch):
    if accelerator.num_processes > 1 or not accelerator.is_main_process:
        return
    print(accelerator.gather(model(batch).detach()).mean())
