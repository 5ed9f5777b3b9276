# Right: `.module` of an average and of a wrapper made by hand, which prepare never saw.
import torch
from accelerate import Accelerator
from torch.optim.swa_utils import AveragedModel


def train(model, loader, out):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    average = AveragedModel(accelerator.unwrap_model(model))
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        average.update_parameters(model)
    torch.save(average.module.state_dict(), out)
