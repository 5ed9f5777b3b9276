# Unclear: with split_batches the author has thought about who shards what.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def train(model, dataset):
    accelerator = Accelerator(split_batches=True)
    loader = DataLoader(dataset, batch_size=64, sampler=DistributedSampler(dataset))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
