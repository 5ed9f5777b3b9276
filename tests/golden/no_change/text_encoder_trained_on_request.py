# Unclear: whether the second model trains is decided when the script runs.
import itertools

import torch
from accelerate import Accelerator
from diffusers import UNet2DConditionModel
from torch.utils.data import DataLoader
from transformers import CLIPTextModel


def main(args, dataset):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    text_encoder = CLIPTextModel.from_pretrained(args.base, subfolder="text_encoder")
    both = itertools.chain(unet.parameters(), text_encoder.parameters())
    optimizer = torch.optim.AdamW(both if args.train_text_encoder else unet.parameters(), lr=args.lr)
    loader = DataLoader(dataset, batch_size=1)
    if args.train_text_encoder:
        unet, text_encoder, optimizer, loader = accelerator.prepare(unet, text_encoder, optimizer, loader)
    else:
        unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    for noisy, timesteps, ids, noise in loader:
        with accelerator.accumulate(unet):
            predicted = unet(noisy, timesteps, text_encoder(ids)[0]).sample
            accelerator.backward(torch.nn.functional.mse_loss(predicted, noise))
            optimizer.step()
            optimizer.zero_grad()
