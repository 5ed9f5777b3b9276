# Right: the script itself tells the accelerator which micro batch ends a group; the prepared optimizer then skips.
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
    for number, batch in enumerate(loader, start=1):
        accelerator.gradient_state._set_sync_gradients(number % every == 0)
        accelerator.backward(model(batch).square().mean())
        optimizer.step()
        optimizer.zero_grad()
