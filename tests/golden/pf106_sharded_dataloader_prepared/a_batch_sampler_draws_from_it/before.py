import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import BatchSampler, DataLoader
from torch.utils.data.distributed import DistributedSampler


def train(features, dataset, epochs):
    accelerator = Accelerator()
    model = nn.Linear(features, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    sampler = DistributedSampler(dataset, accelerator.num_processes, accelerator.process_index)
    loader = DataLoader(dataset, batch_sampler=BatchSampler(sampler, batch_size=64, drop_last=True))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            accelerator.backward((model(x) - y).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()
