# Right: under the condition only what one process may do alone: printing, logging, saving, reading the bare model.
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
        losses = accelerator.gather(model(batch).detach().mean())
        if accelerator.is_main_process:
            print(losses.mean())
            accelerator.log({"loss": losses.mean().item()})
            accelerator.print("logged")
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save(accelerator.unwrap_model(model).state_dict(), out)
    accelerator.wait_for_everyone()
    accelerator.end_training()
