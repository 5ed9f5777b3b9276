# Right: the DistributedSampler gives each process its own part, so the loader stays out of prepare.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(dataset, model, epochs, batch_size=16):
    accelerator = Accelerator()
    sampler = DistributedSampler(
        dataset, num_replicas=accelerator.num_processes, rank=accelerator.process_index, shuffle=True
    )
    loader = DataLoader(dataset, batch_size=batch_size, sampler=sampler, pin_memory=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = accelerator.prepare(model, optimizer)

    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
