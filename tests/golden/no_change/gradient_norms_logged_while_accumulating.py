# Right: the norms are only measured; an infinite bound clips nothing, whatever the micro batch.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every, log_with="all")
    model = nn.Linear(11, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).square().mean())
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=float("inf"))
            biggest = max(p.grad.abs().max() for p in model.parameters())
            accelerator.log({"norm": norm, "biggest": biggest})
            optimizer.step()
            optimizer.zero_grad()
