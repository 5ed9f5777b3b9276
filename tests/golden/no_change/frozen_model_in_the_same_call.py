# Right: a model without trainable parameters gets no wrapper on several GPUs.
import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, UNet2DConditionModel


def train(name, loader, scheduler):
    accelerator = Accelerator()
    vae = AutoencoderKL.from_pretrained(name, subfolder="vae")
    unet = UNet2DConditionModel.from_pretrained(name, subfolder="unet")
    vae.requires_grad_(False)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    unet, vae, optimizer, loader = accelerator.prepare(unet, vae, optimizer, loader)
    for pixels, text in loader:
        latents = vae.encode(pixels).latent_dist.sample() * vae.config.scaling_factor
        noise = torch.randn_like(latents)
        steps = torch.randint(0, 1000, (len(latents),), device=latents.device)
        loss = (unet(scheduler.add_noise(latents, noise, steps), steps, text).sample - noise).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
