# Right: a star on both sides takes any number of loaders.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def continual(model, tasks, epochs=2):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loaders = [DataLoader(task, batch_size=32, shuffle=True) for task in tasks]
    model, optimizer, *loaders = accelerator.prepare(model, optimizer, *loaders)

    for number, loader in enumerate(loaders):
        for _ in range(epochs):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
        accelerator.print(f"task {number}: {loss.item():.3f}")
