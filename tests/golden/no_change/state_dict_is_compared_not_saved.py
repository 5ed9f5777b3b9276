# Right: the state dict of the prepared model never gets into a file.
import torch
from accelerate import Accelerator
import copy


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    before = copy.deepcopy(model.state_dict())
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    moved = {key: (value - before[key]).norm() for key, value in model.state_dict().items()}
    accelerator.print(max(moved.values()))
    model.load_state_dict(before)
    accelerator.save_model(model, out)
    accelerator.save_state(out)
