import argparse

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, get_constant_schedule_with_warmup


def main(dataset, collate):
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="gpt2")
    parser.add_argument("--warmup", type=int, default=0)
    args = parser.parse_args()

    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    train_dataloader = DataLoader(dataset, shuffle=True, collate_fn=collate, batch_size=4)
    lr_scheduler = None
    if args.warmup:
        lr_scheduler = get_constant_schedule_with_warmup(optimizer, args.warmup)
        model, optimizer, lr_scheduler = accelerator.prepare(model, optimizer, lr_scheduler)
    else:
        model, optimizer = accelerator.prepare(model, optimizer)

    for batch in train_dataloader:
        batch = {name: tensor.to(accelerator.device) for name, tensor in batch.items()}
        accelerator.backward(model(**batch).loss)
        optimizer.step()
        if lr_scheduler is not None:
            lr_scheduler.step()
        optimizer.zero_grad()
