# Right: the length is multiplied by the number of processes, because a prepared scheduler steps once for each.
import argparse
import math

import torch
from accelerate import Accelerator
from diffusers.optimization import get_scheduler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_train_steps", type=int, default=500)
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    args = parser.parse_args()

    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    x = torch.randn(2000, 11)
    loader = DataLoader(TensorDataset(x, x.median(dim=1).values), batch_size=10, shuffle=True)
    model = nn.Sequential(nn.Linear(11, 44), nn.ReLU(), nn.Linear(44, 1), nn.Flatten(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = get_scheduler(
        "cosine",
        optimizer=optimizer,
        num_warmup_steps=20 * accelerator.num_processes,
        num_training_steps=args.max_train_steps * accelerator.num_processes,
    )
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    updates_per_epoch = math.ceil(len(loader) / args.gradient_accumulation_steps)

    done = 0
    for _ in range(math.ceil(args.max_train_steps / updates_per_epoch)):
        for inputs, median in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.l1_loss(model(inputs), median)
                accelerator.backward(loss)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                done += 1
            if done >= args.max_train_steps:
                break


if __name__ == "__main__":
    main()
