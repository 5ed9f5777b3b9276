import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(args, dataset):
    accelerator = Accelerator()
    model = nn.Linear(6, 1)
    if args.adam:
        optimizer = torch.optim.Adam(model.parameters())
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=16)
    for x, y in loader:
        accelerator.backward((model(x) - y).abs().mean())
        optimizer.step()
        optimizer.zero_grad()
