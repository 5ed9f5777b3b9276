# Right: what one process trains for itself was never prepared, and its loader is only moved to the device.
import torch
from accelerate import Accelerator
from torch import nn


def train(model, loader, probes):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    if accelerator.is_main_process:
        probe = nn.Linear(8, 1).to(accelerator.device)
        probing = torch.optim.SGD(probe.parameters(), lr=0.1)
        probes = accelerator.prepare_data_loader(probes)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process:
            for features, wanted in probes:
                accelerator.backward((probe(features) - wanted).square().mean())
                probing.step()
                probing.zero_grad()
