# Right: the nested functions read the names when they are called, which is after prepare has bound them again.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(dataset, epochs=2):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(9, 27), nn.ReLU(), nn.Linear(27, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)

    def loss_of(batch):
        x, y = batch
        return nn.functional.cross_entropy(model(x), y)

    def update(batch):
        loss = loss_of(batch)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        losses = [update(batch) for batch in loader]
        accelerator.print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")
