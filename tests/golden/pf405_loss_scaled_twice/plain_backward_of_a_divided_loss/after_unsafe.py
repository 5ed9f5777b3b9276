import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    model, probe = nn.Linear(30, 4), nn.Linear(4, 2)
    optimizer = torch.optim.SGD([{"params": model.parameters()}, {"params": probe.parameters()}], lr=0.1)
    loader = DataLoader(dataset, batch_size=10)
    model, probe, optimizer, loader = accelerator.prepare(model, probe, optimizer, loader)
    for x, y in loader:
        with accelerator.accumulate(model, probe):
            features = model(x)
            reconstruction = features.square().mean()
            accelerator.backward(reconstruction, retain_graph=True)
            guess = nn.functional.cross_entropy(probe(features), y)
            accelerator.backward(guess)
            optimizer.step()
            optimizer.zero_grad()
