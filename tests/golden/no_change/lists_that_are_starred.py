# Right: the star hands the members over one by one.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(*[model, optimizer, loader])
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
