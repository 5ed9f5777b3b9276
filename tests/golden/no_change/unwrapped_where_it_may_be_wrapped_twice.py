# Right: the bare model is taken once and serves all reads; its own name stays the prepared model's.
import torch
from accelerate import Accelerator
from diffusers import UNet2DModel


def train(config, loader, pipeline_class, scheduler):
    accelerator = Accelerator()

    def bare(model):
        model = accelerator.unwrap_model(model)
        return model._orig_mod if hasattr(model, "_orig_mod") else model

    unet = UNet2DModel(**config)
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    unet, optimizer, loader = accelerator.prepare(unet, optimizer, loader)
    channels = bare(unet).config.in_channels
    for step, clean in enumerate(loader):
        noise = torch.randn_like(clean[:, :channels])
        times = torch.randint(0, 1000, (len(clean),), device=clean.device)
        loss = (unet(scheduler.add_noise(clean, noise, times), times).sample - noise).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % 500 == 0 and accelerator.is_main_process:
            pipeline = pipeline_class(unet=bare(unet), scheduler=scheduler)
            pipeline(batch_size=4).images[0].save(f"{step}.png")
            pipeline.save_pretrained("out")
