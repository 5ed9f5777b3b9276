# The sampler drops a remainder and has a seed: nothing of that can be said to a DataLoader.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def train(model, dataset, epochs=3):
    accelerator = Accelerator()
    sampler = DistributedSampler(dataset, shuffle=True, seed=1234, drop_last=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
