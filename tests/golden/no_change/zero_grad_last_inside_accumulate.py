# Right: the wrappers of optimizer and scheduler skip the micro batches in between by themselves, no guard is needed.
import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from transformers import get_linear_schedule_with_warmup


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()

    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    x = torch.randn(800, 10)
    train_dl = DataLoader(TensorDataset(x, x.prod(dim=1, keepdim=True)), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    updates = args.epochs * len(train_dl) // args.gradient_accumulation_steps
    scheduler = get_linear_schedule_with_warmup(optimizer, 10, updates)

    model, optimizer, train_dl, scheduler = accelerator.prepare(model, optimizer, train_dl, scheduler)

    for epoch in range(args.epochs):
        for features, product in train_dl:
            with accelerator.accumulate(model):
                loss = nn.functional.smooth_l1_loss(model(features), product)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        accelerator.print(f"epoch {epoch}: lr {scheduler.get_last_lr()[0]:.2e}")


if __name__ == "__main__":
    main()
