import torch
from accelerate import Accelerator
from diffusers import UNet2DConditionModel
from torch.utils.data import DataLoader


def main(args, latents):
    accelerator = Accelerator(
        gradient_accumulation_steps=args.gradient_accumulation_steps,
        mixed_precision="bf16",
    )
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.learning_rate)
    loader = DataLoader(latents, batch_size=args.train_batch_size)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for step, (noisy, timesteps, text, noise) in enumerate(loader):
        with accelerator.accumulate(unet):
            loss = torch.nn.functional.mse_loss(unet(noisy, timesteps, text).sample, noise)
            accelerator.backward(loss)
            if args.max_grad_norm is not None:
                accelerator.clip_grad_norm_(unet.parameters(), args.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()
