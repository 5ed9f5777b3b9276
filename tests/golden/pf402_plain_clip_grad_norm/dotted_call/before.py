import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, dataset, *, lr=1e-3, max_norm=0.5, epochs=3):
    accelerator = Accelerator(mixed_precision="fp16")
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(epochs):
        for tokens, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
            accelerator.backward(loss)
            torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            optimizer.step()
    return accelerator.unwrap_model(model)
