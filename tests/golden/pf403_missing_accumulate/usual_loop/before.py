"""Fine-tune a classifier of news."""

import argparse

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, get_linear_schedule_with_warmup


def main(args, dataset):
    accelerator = Accelerator(
        mixed_precision=args.mixed_precision,
        gradient_accumulation_steps=args.gradient_accumulation_steps,
    )
    model = AutoModelForSequenceClassification.from_pretrained(args.model_name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    train_loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    scheduler = get_linear_schedule_with_warmup(optimizer, 100, args.max_steps)
    model, optimizer, train_loader, scheduler = accelerator.prepare(model, optimizer, train_loader, scheduler)

    for epoch in range(args.epochs):
        model.train()
        for step, batch in enumerate(train_loader):
            outputs = model(**batch)
            loss = outputs.loss
            accelerator.backward(loss)
            # a long step helps nobody
            accelerator.clip_grad_norm_(model.parameters(), args.max_grad_norm)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
            if step % 50 == 0:
                accelerator.print(f"{epoch}/{step}: {loss.item():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
