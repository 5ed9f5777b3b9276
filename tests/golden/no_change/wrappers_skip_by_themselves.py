# Right: prepared optimizers and schedulers skip micro batches by themselves, so nothing in the block asks for them.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import get_cosine_schedule_with_warmup


def train(args, dataset):
    accelerator = Accelerator(gradient_accumulation_steps=args.steps)
    model = nn.Linear(32, 8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch, shuffle=True)
    scheduler = get_cosine_schedule_with_warmup(optimizer, 10, args.total)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
