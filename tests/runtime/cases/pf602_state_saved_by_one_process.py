"""One process saves the state, and accelerate names the checkpoints."""

import os

import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration
from torch.utils.data import DataLoader

from toy import Line, Samples, folder, report


def main():
    accelerator = Accelerator(
        gradient_accumulation_steps=int(os.environ.get("ACCUMULATION", "1")),
        project_config=ProjectConfiguration(project_dir=str(folder()), automatic_checkpoint_naming=True),
    )
    model = Line()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Samples(), batch_size=2)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if accelerator.is_main_process:
            accelerator.save_state()
    report(model, optimizer)


if __name__ == "__main__":
    main()
