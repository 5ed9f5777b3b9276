# Right: the script asks the accelerator itself which micro batch ends a group, under a name of its own.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    model = nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).square().mean())
            ends_group = accelerator.sync_gradients
            if ends_group:
                norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
                accelerator.log({"norm": norm.item()})
            optimizer.step()
            optimizer.zero_grad()
