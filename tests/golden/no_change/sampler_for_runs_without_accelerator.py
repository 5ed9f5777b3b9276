# Right: the sampler is made only where no accelerator shards the loader.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, DistributedSampler


def train(model, dataset, use_accelerate=True, epochs=2):
    accelerator = Accelerator() if use_accelerate else None
    sampler = None if use_accelerate else DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, shuffle=sampler is None, sampler=sampler)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    if accelerator is not None:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            loss = model(batch).mean()
            if accelerator is not None:
                accelerator.backward(loss)
            else:
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
