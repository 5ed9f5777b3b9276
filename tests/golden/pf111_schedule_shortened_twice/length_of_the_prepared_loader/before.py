import math

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def main(args, model, dataset):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = math.ceil(len(loader) / args.accumulate) * args.epochs
    schedule = get_linear_schedule_with_warmup(optimizer, updates // 10, updates)
    schedule = accelerator.prepare(schedule)
    for _ in range(args.epochs):
        for step, batch in enumerate(loader):
            accelerator.backward(model(**batch).loss / args.accumulate)
            if (step + 1) % args.accumulate == 0 or step == len(loader) - 1:
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
