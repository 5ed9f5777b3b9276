import itertools

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def adapt(extractor, head, source_set, target_set, rounds=2000):
    """Train on labelled photos, and pull the features of unlabelled sketches towards them."""
    accelerator = Accelerator()
    model = nn.ModuleDict({"extractor": extractor, "head": head})
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    source_loader = DataLoader(source_set, batch_size=32, shuffle=True, drop_last=True)
    target_loader = DataLoader(target_set, batch_size=32, shuffle=True, drop_last=True)
    model, optimizer, source_loader = accelerator.prepare(model, optimizer, source_loader)

    for _ in range(rounds):
        for (photo, label), sketch in zip(source_loader, target_loader):
            features = model(photo)
            gap = features.mean(dim=0) - model(sketch.to(accelerator.device)).mean(dim=0)
            loss = nn.functional.cross_entropy(features, label) + 0.1 * gap.square().sum()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
