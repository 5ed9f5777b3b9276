# Right: the same call stands in both branches, so all processes make it.
import torch
from accelerate import Accelerator


def validate(accelerator, model, batch):
    with torch.no_grad():
        return accelerator.gather_for_metrics(model(batch))


def train(model, loader, eval_loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader, eval_loader = accelerator.prepare(model, optimizer, loader, eval_loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    for batch in eval_loader:
        if accelerator.is_main_process:
            print(validate(accelerator, model, batch).mean())
        else:
            validate(accelerator, model, batch)
    if accelerator.is_main_process:
        print("waiting")
        accelerator.wait_for_everyone()
    else:
        accelerator.wait_for_everyone()
