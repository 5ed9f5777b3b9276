# Right: the sampler is told that there is one process, so it shuffles and shares nothing out; prepare does.
import torch
from accelerate import Accelerator
from torch.utils.data import BatchSampler, DataLoader, DistributedSampler


def train(model, dataset, notes):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    sampler = DistributedSampler(dataset, num_replicas=1, rank=0, seed=7)
    loader = DataLoader(dataset, batch_sampler=BatchSampler(sampler, batch_size=8, drop_last=False))
    extra = DataLoader(notes, batch_size=8, sampler=DistributedSampler(notes, 1, 0))
    model, optimizer, loader, extra = accelerator.prepare(model, optimizer, loader, extra)
    for batch, note in zip(loader, extra):
        accelerator.backward(model(batch, note).mean())
        optimizer.step()
        optimizer.zero_grad()
