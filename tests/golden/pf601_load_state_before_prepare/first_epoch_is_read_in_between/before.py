import os

import torch
from accelerate import Accelerator


def train(args, model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    first_epoch = 0
    if args.resume:
        accelerator.load_state(args.resume)
        first_epoch = int(os.path.basename(args.resume).split("_")[1]) + 1
    accelerator.print(f"epochs {first_epoch} to {args.epochs}")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(first_epoch, args.epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
        accelerator.save_state(f"epoch_{epoch}")
