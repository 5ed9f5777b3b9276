import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def main():
    parser = argparse.ArgumentParser(description="MNIST in a few lines")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--log-interval", type=int, default=50)
    args = parser.parse_args()

    accelerator = Accelerator()
    digits = datasets.MNIST("data", download=True, transform=transforms.ToTensor())
    train_loader = DataLoader(digits, batch_size=args.batch_size, shuffle=True)
    model = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(5408, 10))
    optimizer = torch.optim.Adadelta(model.parameters(), lr=args.lr)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(1, args.epochs + 1):
        model.train()
        for batch_idx, (data, target) in enumerate(train_loader):
            optimizer.zero_grad()
            output = model(data)
            loss = nn.functional.cross_entropy(output, target)
            accelerator.backward(loss)
            optimizer.step()
            if batch_idx % args.log_interval == 0:
                accelerator.print(f"epoch {epoch}, batch {batch_idx}: {loss.item():.6f}")


if __name__ == "__main__":
    main()
