# Right: the pipeline gets the bare model, what was never prepared, or what is prepared for evaluation alone.
import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL, StableDiffusionPipeline, UNet2DConditionModel


def main(args, loader):
    accelerator = Accelerator()
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    vae = AutoencoderKL.from_pretrained(args.base, subfolder="vae")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.lr)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for noisy, times, states in loader:
        accelerator.backward(unet(noisy, times, states).sample.mean())
        optimizer.step()
        optimizer.zero_grad()
    bare = unet.module if accelerator.num_processes > 1 else unet
    first = StableDiffusionPipeline.from_pretrained(args.base, unet=accelerator.unwrap_model(unet), vae=vae)
    second = StableDiffusionPipeline.from_pretrained(args.base, unet=bare, vae=vae)
    return first, second
