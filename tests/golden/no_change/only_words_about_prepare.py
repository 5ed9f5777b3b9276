# Right: accelerate is mentioned in comments and strings only; there is no accelerator to prepare anything.
"""Single-process baseline. The distributed version calls accelerator.prepare(model) first."""
import torch
from torch import nn
from torch.utils.data import DataLoader

HELP = "to go faster: accelerate launch train.py, which runs model, optimizer = accelerator.prepare(model, optimizer)"


def main(dataset, epochs=3):
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=10, shuffle=True)
    # accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(epoch, loss.item())
    print(HELP)
