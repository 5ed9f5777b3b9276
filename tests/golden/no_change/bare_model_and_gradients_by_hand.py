# Right: the bare model trains, and the script averages the gradients itself.
import torch
from accelerate import Accelerator


def train(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    bare = accelerator.unwrap_model(model)
    for batch in loader:
        accelerator.backward(bare(batch).mean())
        for parameter in bare.parameters():
            parameter.grad = accelerator.reduce(parameter.grad, reduction="mean")
        optimizer.step()
        optimizer.zero_grad()
