# Right: the script names its checkpoints itself, so no process waits for another when it saves the state.
import torch
from accelerate import Accelerator


def train(model, loader, folder):
    accelerator = Accelerator(project_dir=folder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process and step % 100 == 0:
            # With automatic_checkpoint_naming=True all processes would have to come here.
            accelerator.save_state(f"{folder}/{step}")
