# Right: VAE and text encoder are frozen and only moved to the device; the UNet alone trains.
import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from torch.utils.data import DataLoader
from transformers import CLIPTextModel

from captions import CaptionedImages


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()

    accelerator = Accelerator(mixed_precision="fp16")
    vae = AutoencoderKL.from_pretrained(args.base, subfolder="vae")
    text_encoder = CLIPTextModel.from_pretrained(args.base, subfolder="text_encoder")
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    noise_scheduler = DDPMScheduler.from_pretrained(args.base, subfolder="scheduler")
    vae.requires_grad_(False)
    text_encoder.requires_grad_(False)

    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    loader = DataLoader(CaptionedImages(), batch_size=4, shuffle=True)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    vae.to(accelerator.device, dtype=torch.float16)
    text_encoder.to(accelerator.device, dtype=torch.float16)

    for step, batch in enumerate(loader):
        latents = vae.encode(batch["pixels"].half()).latent_dist.sample() * vae.config.scaling_factor
        noise = torch.randn_like(latents)
        timesteps = torch.randint(0, noise_scheduler.config.num_train_timesteps, (len(latents),), device=latents.device)
        noisy = noise_scheduler.add_noise(latents, noise, timesteps)
        predicted = unet(noisy, timesteps, text_encoder(batch["ids"])[0]).sample
        loss = F.mse_loss(predicted.float(), noise.float())
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step >= args.steps:
            break
    accelerator.unwrap_model(unet).save_pretrained("unet")


if __name__ == "__main__":
    main()
