# Unclear: what the factory returns may be prepared, or shard itself.
import torch
from accelerate import Accelerator
from my_models import build
from torch.utils.data import DataLoader


def train(config, dataset):
    accelerator = Accelerator()
    model = build(config)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=4)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
