import torch
from accelerate import Accelerator
from diffusers import UNet2DModel
from torch.utils.data import DataLoader
from tqdm.auto import tqdm


def main(args, images):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    unet = UNet2DModel.from_pretrained(args.base)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=args.lr)
    loader = DataLoader(images, batch_size=4)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    progress = tqdm(range(args.steps), disable=not accelerator.is_local_main_process)
    for noisy, timesteps, noise in loader:
        predicted = unet(noisy, timesteps).sample
        loss = torch.nn.functional.mse_loss(predicted, noise)
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            accelerator.clip_grad_norm_(unet.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

        if accelerator.sync_gradients:
            progress.update(1)
