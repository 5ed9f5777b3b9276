# Right: the names are bound again on purpose: cycled, cast, and unwrapped when training is over.
import torch
from accelerate import Accelerator
from diffusers import DDPMPipeline, DDPMScheduler, UNet2DModel
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        yield from loader


def main(images, steps=10_000):
    accelerator = Accelerator(mixed_precision="fp16")
    unet = UNet2DModel(sample_size=32)
    noise_scheduler = DDPMScheduler()
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    loader = DataLoader(images, batch_size=64, shuffle=True)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    loader = cycle(loader)

    for _ in range(steps):
        x = next(loader)
        noise = torch.randn_like(x)
        t = torch.randint(0, 1000, (len(x),), device=x.device)
        loss = (unet(noise_scheduler.add_noise(x, noise, t), t).sample - noise).square().mean()
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(unet.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    accelerator.wait_for_everyone()
    unet = accelerator.unwrap_model(unet)
    unet = unet.to(torch.float32)
    if accelerator.is_main_process:
        pipeline = DDPMPipeline(unet=unet, scheduler=noise_scheduler)
        pipeline.save_pretrained("ddpm")
        pipeline(batch_size=4).images[0].save("sample.png")
