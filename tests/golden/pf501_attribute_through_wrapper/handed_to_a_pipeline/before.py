import torch
from accelerate import Accelerator
from diffusers import StableDiffusionPipeline, UNet2DConditionModel
from torch import nn


def validate(accelerator, unet, args, step):
    pipeline = StableDiffusionPipeline.from_pretrained(args.base, unet=unet, torch_dtype=torch.float16)
    pipeline.to(accelerator.device)
    for number, image in enumerate(pipeline(args.prompts).images):
        image.save(f"{args.out}/{step}-{number}.png")


def main(args, loader):
    accelerator = Accelerator()
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.lr)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for step, (noisy, times, states, noise) in enumerate(loader):
        loss = nn.functional.mse_loss(unet(noisy, times, states).sample, noise)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if accelerator.is_main_process and step % args.validate_every == 0:
            validate(accelerator, unet, args, step)
    if accelerator.is_main_process:
        pipeline = StableDiffusionPipeline.from_pretrained(
            args.base,
            unet=unet,  # the one that was trained
        )
        pipeline.save_pretrained(args.out)
