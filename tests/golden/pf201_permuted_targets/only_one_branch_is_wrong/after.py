import argparse

import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_scheduler
from torch.utils.data import DataLoader

from my_images import load_images


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--with_schedule", action="store_true")
    parser.add_argument("--num_epochs", type=int, default=50)
    args = parser.parse_args()

    accelerator = Accelerator(mixed_precision="fp16")
    unet = UNet2DModel(sample_size=64)
    noise_scheduler = DDPMScheduler(num_train_timesteps=1000)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    train_dataloader = DataLoader(load_images(64), batch_size=16, shuffle=True)

    lr_scheduler = None
    if args.with_schedule:
        lr_scheduler = get_scheduler(
            "cosine", optimizer, num_warmup_steps=500, num_training_steps=args.num_epochs * len(train_dataloader)
        )
        unet, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
            unet, optimizer, train_dataloader, lr_scheduler
        )
    else:
        unet, optimizer, train_dataloader = accelerator.prepare(unet, optimizer, train_dataloader)

    for _ in range(args.num_epochs):
        for clean in train_dataloader:
            noise = torch.randn_like(clean)
            timesteps = torch.randint(0, 1000, (len(clean),), device=clean.device)
            noisy = noise_scheduler.add_noise(clean, noise, timesteps)
            loss = torch.nn.functional.mse_loss(unet(noisy, timesteps).sample, noise)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(unet.parameters(), 1.0)
            optimizer.step()
            if lr_scheduler is not None:
                lr_scheduler.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
