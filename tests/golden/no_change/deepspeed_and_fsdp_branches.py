# Right: whichever branch runs, model and optimizer are prepared together before the loop.
import argparse

import torch
from accelerate import Accelerator, DistributedType
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, get_scheduler

from my_corpus import load_blocks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="gpt2")
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    train_loader = DataLoader(load_blocks("train"), batch_size=4, shuffle=True)
    eval_loader = DataLoader(load_blocks("eval"), batch_size=4)
    schedule = get_scheduler("cosine", optimizer, 100, args.epochs * len(train_loader))

    if accelerator.distributed_type == DistributedType.DEEPSPEED:
        model, optimizer, train_loader, eval_loader, schedule = accelerator.prepare(
            model, optimizer, train_loader, eval_loader, schedule
        )
    elif accelerator.distributed_type == DistributedType.FSDP:
        model, optimizer = accelerator.prepare(model, optimizer)
        train_loader, eval_loader, schedule = accelerator.prepare(train_loader, eval_loader, schedule)
    else:
        train_loader, eval_loader = accelerator.prepare(train_loader, eval_loader)
        model, optimizer, schedule = accelerator.prepare(model, optimizer, schedule)

    for epoch in range(args.epochs):
        model.train()
        for ids in train_loader:
            accelerator.backward(model(input_ids=ids, labels=ids).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            losses = [accelerator.gather(model(input_ids=ids, labels=ids).loss.reshape(1)) for ids in eval_loader]
        accelerator.print(f"epoch {epoch}: {torch.cat(losses).mean().item():.3f}")


if __name__ == "__main__":
    main()
