"""Fine-tunes a UNet in the manner of the diffusers examples; the schedule is left out of the call."""

import argparse
import math

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from diffusers.optimization import get_scheduler
from torch.utils.data import DataLoader

from my_data import CaptionedImages


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pretrained", default="runwayml/stable-diffusion-v1-5")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=4)
    parser.add_argument("--num_train_epochs", type=int, default=10)
    parser.add_argument("--lr_scheduler", default="cosine")
    parser.add_argument("--learning_rate", type=float, default=1e-5)
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps, mixed_precision="fp16")
    noise_scheduler = DDPMScheduler.from_pretrained(args.pretrained, subfolder="scheduler")
    vae = AutoencoderKL.from_pretrained(args.pretrained, subfolder="vae")
    unet = UNet2DConditionModel.from_pretrained(args.pretrained, subfolder="unet")
    vae.requires_grad_(False)

    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate)
    train_dataloader = DataLoader(CaptionedImages("photos"), shuffle=True, batch_size=4)

    num_update_steps_per_epoch = math.ceil(len(train_dataloader) / args.gradient_accumulation_steps)
    max_train_steps = args.num_train_epochs * num_update_steps_per_epoch
    lr_scheduler = get_scheduler(
        args.lr_scheduler, optimizer=optimizer, num_warmup_steps=0, num_training_steps=max_train_steps
    )

    unet, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
        unet, optimizer, train_dataloader, lr_scheduler
    )
    vae.to(accelerator.device, dtype=torch.float16)

    global_step = 0
    for epoch in range(args.num_train_epochs):
        unet.train()
        for step, batch in enumerate(train_dataloader):
            with accelerator.accumulate(unet):
                latents = vae.encode(batch["pixels"].to(torch.float16)).latent_dist.sample() * 0.18215
                noise = torch.randn_like(latents)
                timesteps = torch.randint(0, 1000, (latents.shape[0],), device=latents.device)
                noisy = noise_scheduler.add_noise(latents, noise, timesteps)
                predicted = unet(noisy, timesteps, batch["text"]).sample
                loss = F.mse_loss(predicted.float(), noise.float())
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(unet.parameters(), 1.0)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                global_step += 1
                accelerator.log({"loss": loss.item(), "lr": lr_scheduler.get_last_lr()[0]}, step=global_step)
            if global_step >= max_train_steps:
                break


if __name__ == "__main__":
    main()
