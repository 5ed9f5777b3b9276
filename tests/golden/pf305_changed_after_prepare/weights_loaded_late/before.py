import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(args, dataset):
    accelerator = Accelerator()
    model = nn.Transformer(d_model=32, batch_first=True)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=16)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    if args.start_from:
        checkpoint = torch.load(args.start_from, map_location="cpu")
        model.load_state_dict(checkpoint["model"])
    for source, target in loader:
        accelerator.backward((model(source, target) - target).square().mean())
        optimizer.step()
        optimizer.zero_grad()
