# Right: the learning rate is set from a formula in each iteration, there is no scheduler object at all.
import math

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def adjust_learning_rate(optimizer, progress, base, warmup=0.1):
    """Half a cosine after a linear warm-up; ``progress`` runs from 0 to 1."""
    scale = progress / warmup if progress < warmup else 0.5 * (1 + math.cos(math.pi * (progress - warmup) / (1 - warmup)))
    for group in optimizer.param_groups:
        group["lr"] = base * scale * group.get("lr_scale", 1.0)


def pretrain(model, dataset, epochs=400, base_lr=1.5e-4, accum_iter=2):
    accelerator = Accelerator(gradient_accumulation_steps=accum_iter)
    optimizer = torch.optim.AdamW(model.parameters(), lr=base_lr, betas=(0.9, 0.95))
    loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(epochs):
        for number, images in enumerate(loader):
            if number % accum_iter == 0:
                adjust_learning_rate(optimizer, (epoch + number / len(loader)) / epochs, base_lr)
            with accelerator.accumulate(model):
                loss, _, _ = model(images, mask_ratio=0.75)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
