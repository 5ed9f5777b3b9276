# Right: the bare model makes a target without gradients, which then meets the prepared one's prediction in the loss.
import torch
from accelerate import Accelerator


def train(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    bare = accelerator.unwrap_model(model)
    for weak, strong in loader:
        with torch.no_grad():
            target = bare(weak).softmax(dim=-1)
        loss = torch.nn.functional.cross_entropy(model(strong), target)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
