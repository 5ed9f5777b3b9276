# Right: for the first epoch the prepared loader is replaced by one that skips what was seen already.
import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--resume_from", default=None)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    accelerator = Accelerator(project_dir="runs")
    x = torch.randn(640, 7)
    train_loader = DataLoader(TensorDataset(x, x.abs().amax(dim=1)), batch_size=16, shuffle=True)
    model = nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 1), nn.Flatten(0))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    if args.resume_from:
        accelerator.load_state(args.resume_from)

    for epoch in range(args.epochs):
        active = train_loader
        if args.resume_from and epoch == 0 and args.skip:
            active = accelerator.skip_first_batches(train_loader, args.skip)
        for inputs, target in active:
            loss = nn.functional.mse_loss(model(inputs), target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.save_state(f"runs/epoch_{epoch}")


if __name__ == "__main__":
    main()
