# Right: the helper that steps gets the prepared schedule, and counts nothing itself.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForTokenClassification, get_scheduler


def update(accelerator, loss, optimizer, scheduler):
    accelerator.backward(loss)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()


def run(args, data, collate):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
    model = AutoModelForTokenClassification.from_pretrained(args.model, num_labels=9)
    loader = DataLoader(data, shuffle=True, batch_size=8, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scheduler = get_scheduler(
        args.schedule, optimizer, num_warmup_steps=50, num_training_steps=args.epochs * len(loader) // args.accumulate
    )
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    for _ in range(args.epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                update(accelerator, model(**batch).loss, optimizer, scheduler)
