import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import LinearLR
from torch.utils.data import DataLoader, TensorDataset


def get_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.05)
    return parser.parse_args()


def main():
    args = get_arguments()
    accelerator = Accelerator()

    x = torch.randn(args.samples, 5)
    train_loader = DataLoader(TensorDataset(x, x.sort(dim=1).values), batch_size=50, shuffle=True)
    model = nn.Sequential(nn.Linear(5, 128), nn.ReLU(), nn.Linear(128, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    scheduler = LinearLR(optimizer, 1.0, 0.01, total_iters=args.epochs * len(train_loader))

    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)

    for epoch in range(args.epochs):
        for numbers, in_order in train_loader:
            optimizer.zero_grad()
            loss = nn.functional.l1_loss(model(numbers), in_order)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
        accelerator.print(f"epoch {epoch}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
