# Right: all processes save the state that accelerate names, the main process tells of it.
import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration


def train(model, loader, folder):
    project = ProjectConfiguration(project_dir=folder, automatic_checkpoint_naming=True)
    accelerator = Accelerator(project_config=project)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    accelerator.save_state()
    if accelerator.is_main_process:
        print("saved")
