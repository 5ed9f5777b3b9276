# Right: two alternative calls; the text encoder is prepared exactly where it trains.
import argparse
import itertools

import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DConditionModel
from torch.utils.data import DataLoader
from transformers import CLIPTextModel

from captions import LatentsWithCaptions


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", required=True)
    parser.add_argument("--train_text_encoder", action="store_true")
    args = parser.parse_args()

    accelerator = Accelerator(gradient_accumulation_steps=2)
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    text_encoder = CLIPTextModel.from_pretrained(args.base, subfolder="text_encoder")
    text_encoder.requires_grad_(args.train_text_encoder)
    ddpm = DDPMScheduler.from_pretrained(args.base, subfolder="scheduler")
    parameters = unet.parameters()
    if args.train_text_encoder:
        parameters = itertools.chain(unet.parameters(), text_encoder.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=5e-6)
    loader = DataLoader(LatentsWithCaptions(), batch_size=2, shuffle=True)

    if args.train_text_encoder:
        unet, text_encoder, optimizer, loader = accelerator.prepare(unet, text_encoder, optimizer, loader)
        trained = [unet, text_encoder]
    else:
        unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
        text_encoder.to(accelerator.device)
        trained = [unet]

    for latents, ids in loader:
        with accelerator.accumulate(*trained):
            noise = torch.randn_like(latents)
            t = torch.randint(0, 1000, (len(latents),), device=latents.device)
            predicted = unet(ddpm.add_noise(latents, noise, t), t, text_encoder(ids)[0]).sample
            loss = (predicted - noise).square().mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
