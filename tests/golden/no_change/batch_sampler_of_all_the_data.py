# Right: the batch sampler draws from all the data, which prepare shares out; the process index only seeds it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, Subset


def train(features, dataset, epochs, seed):
    accelerator = Accelerator()
    torch.manual_seed(seed + accelerator.process_index)
    per_process = 4096 // accelerator.num_processes
    model = nn.Linear(features, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    size = max(1, per_process // 64)
    subset = Subset(dataset, range(0, len(dataset), size))
    loader = DataLoader(subset, batch_sampler=BatchSampler(RandomSampler(subset), batch_size=64, drop_last=True))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            accelerator.backward((model(x) - y).pow(2).mean())
            optimizer.step()
            optimizer.zero_grad()
