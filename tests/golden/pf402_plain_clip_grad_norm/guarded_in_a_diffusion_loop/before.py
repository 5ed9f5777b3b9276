import itertools

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DConditionModel
from torch.utils.data import DataLoader
from transformers import CLIPTextModel


def train(dataset, model_id, args):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    unet = UNet2DConditionModel.from_pretrained(model_id, subfolder="unet")
    text_encoder = CLIPTextModel.from_pretrained(model_id, subfolder="text_encoder")
    noise_scheduler = DDPMScheduler.from_pretrained(model_id, subfolder="scheduler")
    optimizer = torch.optim.AdamW(itertools.chain(unet.parameters(), text_encoder.parameters()), lr=args.lr)
    loader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True)
    unet, text_encoder, optimizer, loader = accelerator.prepare(unet, text_encoder, optimizer, loader)

    for batch in loader:
        with accelerator.accumulate(unet, text_encoder):
            latents, ids = batch["latents"], batch["input_ids"]
            noise = torch.randn_like(latents)
            timesteps = torch.randint(0, 1000, (len(latents),), device=latents.device)
            noisy = noise_scheduler.add_noise(latents, noise, timesteps)
            predicted = unet(noisy, timesteps, text_encoder(ids)[0]).sample
            loss = F.mse_loss(predicted.float(), noise.float())
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                params_to_clip = itertools.chain(unet.parameters(), text_encoder.parameters())
                torch.nn.utils.clip_grad_norm_(params_to_clip, args.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()
