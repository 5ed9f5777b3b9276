# Unclear: the horizon is a number of the configuration, and nobody but the author knows what it counts.
import argparse

import torch
from accelerate import Accelerator
from diffusers.optimization import get_scheduler
from torch.utils.data import DataLoader


def main(model, dataset):
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_train_steps", type=int, default=10_000)
    parser.add_argument("--warmup", type=int, default=500)
    args = parser.parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=2)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    lr_scheduler = get_scheduler(
        "cosine", optimizer, num_warmup_steps=args.warmup, num_training_steps=args.max_train_steps
    )
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    step = 0
    while step < args.max_train_steps:
        for batch in loader:
            with accelerator.accumulate(model):
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            step += accelerator.sync_gradients
