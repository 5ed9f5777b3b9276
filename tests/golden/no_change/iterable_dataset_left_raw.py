# Right: each worker of the stream reads its own files by rank, nothing is left for prepare to share out.
import glob

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Shards(IterableDataset):
    def __init__(self, pattern, rank, world_size):
        self.files = sorted(glob.glob(pattern))[rank::world_size]

    def __iter__(self):
        for file in self.files:
            yield from torch.load(file)


def pretrain(model, pattern, lr=3e-4):
    accelerator = Accelerator()
    shards = Shards(pattern, accelerator.process_index, accelerator.num_processes)
    loader = DataLoader(shards, batch_size=64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    model, optimizer = accelerator.prepare(model, optimizer)

    for x in loader:
        x = x.to(accelerator.device)
        loss = nn.functional.mse_loss(model(x), x)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.save_model(model, "pretrained")
