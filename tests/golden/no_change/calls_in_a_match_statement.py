# Right: each case prepares what it needs, and the loop only runs after one of those that train.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(mode, model, dataset, epochs=1):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=32, shuffle=mode != "eval")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    match mode:
        case "eval":
            model, loader = accelerator.prepare(model, loader)
            model.eval()
            with torch.no_grad():
                errors = [accelerator.gather_for_metrics((model(x) - y).square()) for x, y in loader]
            return torch.cat(errors).mean().item()
        case "train":
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        case "debug":
            small = DataLoader(dataset, batch_size=2)
            model, optimizer, loader = accelerator.prepare(model, optimizer, small)
        case _:
            raise ValueError(mode)

    model.train()
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return loss.item()
