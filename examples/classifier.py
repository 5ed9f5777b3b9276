"""Trains a small classifier on two interleaved spirals and prints its accuracy on held-out points."""

import argparse
import math

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def two_spirals(points_per_class):
    turn = torch.rand(points_per_class).sqrt() * 2.5 * math.pi
    arm = torch.stack([turn.cos(), turn.sin()], dim=1) * turn[:, None] / 8
    points = torch.cat([arm, -arm]) + 0.03 * torch.randn(2 * points_per_class, 2)
    labels = torch.arange(2).repeat_interleave(points_per_class)
    return TensorDataset(points, labels)


def evaluate(accelerator, model, loader):
    model.eval()
    hits = seen = 0
    for points, labels in loader:
        with torch.no_grad():
            predicted = model(points).argmax(dim=-1)
        predicted, labels = accelerator.gather_for_metrics((predicted, labels))
        hits += (predicted == labels).sum().item()
        seen += labels.numel()
    return hits / seen


def train(args):
    torch.manual_seed(args.seed)
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
    train_set, eval_set = random_split(two_spirals(400), [640, 160])
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    eval_loader = DataLoader(eval_set, batch_size=64)

    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loss_function = nn.CrossEntropyLoss()

    model, train_loader, eval_loader = accelerator.prepare(model, train_loader, eval_loader)

    for epoch in range(args.epochs):
        model.train()
        for points, labels in train_loader:
            with accelerator.accumulate(model):
                loss = loss_function(model(points), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        accuracy = evaluate(accelerator, model, eval_loader)
        accelerator.print(f"epoch {epoch}: loss {loss.item():.3f}, accuracy {accuracy:.1%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--accumulate", type=int, default=4, help="batches per optimizer step")
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    train(parser.parse_args())
