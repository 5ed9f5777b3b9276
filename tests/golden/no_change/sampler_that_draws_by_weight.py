# Right: a weighted sampler draws for all processes, and prepare shares its batches out.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, WeightedRandomSampler


def train(model, dataset, weights, epochs=2):
    accelerator = Accelerator()
    generator = torch.Generator().manual_seed(7)
    sampler = WeightedRandomSampler(weights, num_samples=len(weights), generator=generator)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            accelerator.backward(torch.nn.functional.cross_entropy(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
