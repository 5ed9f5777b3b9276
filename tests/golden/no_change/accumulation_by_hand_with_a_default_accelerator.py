# Right: the accelerator has no count, so the loss is divided by hand and the step waits for a full group.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(args, dataset):
    accelerator = Accelerator(mixed_precision=args.precision)
    model = nn.Linear(50, 5)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch_size)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    gradient_accumulation_steps = 1
    if args.batch_size > 16:
        gradient_accumulation_steps = args.batch_size // 16
    for step, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(x), y)
        loss = loss / gradient_accumulation_steps
        accelerator.backward(loss)
        if (step + 1) % gradient_accumulation_steps == 0:
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
