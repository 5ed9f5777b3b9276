# Right: DummyOptim and DummyScheduler stand for those of the DeepSpeed configuration and are prepared like any other.
import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import DummyOptim, DummyScheduler
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, get_scheduler

from my_corpus import load_blocks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", default="gpt2")
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()

    accelerator = Accelerator()
    model = AutoModelForCausalLM.from_pretrained(args.name)
    loader = DataLoader(load_blocks(), batch_size=4, shuffle=True)

    config = accelerator.state.deepspeed_plugin.deepspeed_config if accelerator.state.deepspeed_plugin else {}
    optimizer_class = DummyOptim if "optimizer" in config else torch.optim.AdamW
    optimizer = optimizer_class(model.parameters(), lr=args.lr)
    if "scheduler" in config:
        scheduler = DummyScheduler(optimizer, total_num_steps=args.steps, warmup_num_steps=50)
    else:
        scheduler = get_scheduler("linear", optimizer, num_warmup_steps=50, num_training_steps=args.steps)

    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

    model.train()
    for step, ids in enumerate(loader):
        loss = model(input_ids=ids, labels=ids).loss
        accelerator.backward(loss)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        if step == args.steps:
            break


if __name__ == "__main__":
    main()
