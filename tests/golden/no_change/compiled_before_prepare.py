# Right: the compiled model takes the place of the raw one before anything is built from it or prepared.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, width=256, classes=100, use_compile=True, epochs=10):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, classes))
    if use_compile:
        model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=torch.cuda.is_available())
    loader = DataLoader(dataset, batch_size=256, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
