import torch
from accelerate import Accelerator
from torch import nn


def main(loader, epochs):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            loss = nn.functional.l1_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main(torch.load("batches.pt"), 3)
