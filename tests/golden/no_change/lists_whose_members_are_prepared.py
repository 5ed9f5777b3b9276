# Right: what is in the lists goes through one by one, or is nothing that prepare wraps.
import torch
from accelerate import Accelerator
from torch import nn


def train(first, second, loader, epochs):
    accelerator = Accelerator()
    models = [first, second]
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
    weights = [p for model in models for p in model.parameters()]
    sizes = [1, 2, 4]
    sizes, weights, loader = accelerator.prepare(sizes, weights, loader)
    pairs = [accelerator.prepare(model, optimizer) for model, optimizer in zip(models, optimizers)]
    for _ in range(epochs):
        for x, y in loader:
            for model, optimizer in pairs:
                accelerator.backward(nn.functional.mse_loss(model(x), y))
                optimizer.step()
                optimizer.zero_grad()
    return weights, sizes
