import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args()

    accelerator = Accelerator()
    words = torch.randint(0, 1000, (2048, 3))
    train_loader = DataLoader(TensorDataset(words), batch_size=128, shuffle=True)

    model = nn.Sequential(nn.Embedding(1000, 50), nn.Flatten(), nn.Linear(100, 1000))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    lr_scheduler = get_linear_schedule_with_warmup(optimizer, args.warmup, args.epochs * len(train_loader))

    model, optimizer, train_loader, lr_scheduler = accelerator.prepare(model, optimizer, train_loader, lr_scheduler)

    for epoch in range(args.epochs):
        for (trigram,) in train_loader:
            logits = model(trigram[:, :2])
            loss = nn.functional.cross_entropy(logits, trigram[:, 2])
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: perplexity {loss.exp().item():.1f}")


if __name__ == "__main__":
    main()
