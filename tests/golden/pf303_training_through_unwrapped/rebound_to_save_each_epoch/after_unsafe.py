import os

import torch
from accelerate import Accelerator
from diffusers import UNet2DModel


def main(args, noise_scheduler, train_dataloader):
    accelerator = Accelerator(mixed_precision=args.mixed_precision)
    model = UNet2DModel.from_pretrained(args.model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, train_dataloader)

    for epoch in range(args.num_epochs):
        for batch in train_dataloader:
            clean = batch["input"]
            noise = torch.randn_like(clean)
            timesteps = torch.randint(0, 1000, (clean.shape[0],), device=clean.device)
            noisy = noise_scheduler.add_noise(clean, noise, timesteps)
            loss = torch.nn.functional.mse_loss(model(noisy, timesteps).sample, noise)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        accelerator.wait_for_everyone()
        if accelerator.is_main_process:
            # The weights of this epoch.
            unwrapped_model = accelerator.unwrap_model(model)
            folder = os.path.join(args.output_dir, f"unet-{epoch}")
            unwrapped_model.save_pretrained(folder)
