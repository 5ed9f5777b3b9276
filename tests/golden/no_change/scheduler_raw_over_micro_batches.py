# Unclear: multiplied by the accumulation count the length is made for raw steps; preparing it would be too slow by that.
import math

import torch
from accelerate import Accelerator
from diffusers.optimization import get_scheduler
from torch.utils.data import DataLoader


def main(args, unet, photos):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate)
    train_dataloader = DataLoader(photos, batch_size=args.train_batch_size, shuffle=True, num_workers=1)
    num_update_steps_per_epoch = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    if args.max_train_steps is None:
        args.max_train_steps = args.num_train_epochs * num_update_steps_per_epoch
    lr_scheduler = get_scheduler(
        args.lr_scheduler,
        optimizer=optimizer,
        num_warmup_steps=args.lr_warmup_steps * args.gradient_accumulation_steps,
        num_training_steps=args.max_train_steps * args.gradient_accumulation_steps,
    )
    unet, optimizer, train_dataloader = accelerator.prepare(unet, optimizer, train_dataloader)
    for batch in train_dataloader:
        with accelerator.accumulate(unet):
            loss = unet(batch["image"], batch["mask"]).sample.square().mean()
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
            optimizer.zero_grad()
