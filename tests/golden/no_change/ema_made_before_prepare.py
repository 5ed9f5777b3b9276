# Right: the EMA helper keeps the raw model's parameters, which are the trained ones, and steps after each update.
import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel
from torch.utils.data import DataLoader


def train(dataset, epochs=100, size=32):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    unet = UNet2DModel(sample_size=size, in_channels=3, out_channels=3)
    ema = EMAModel(unet.parameters(), decay=0.9999, model_cls=UNet2DModel, model_config=unet.config)
    noise_scheduler = DDPMScheduler(beta_schedule="squaredcos_cap_v2")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    lr_scheduler = get_cosine_schedule_with_warmup(optimizer, 500, epochs * len(loader) // 2)

    unet, optimizer, loader, lr_scheduler = accelerator.prepare(unet, optimizer, loader, lr_scheduler)
    ema.to(accelerator.device)

    for _ in range(epochs):
        for images in loader:
            with accelerator.accumulate(unet):
                noise = torch.randn_like(images)
                t = torch.randint(0, 1000, (len(images),), device=images.device)
                predicted = unet(noise_scheduler.add_noise(images, noise, t), t).sample
                loss = torch.nn.functional.mse_loss(predicted, noise)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(unet.parameters(), 1.0)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                ema.step(unet.parameters())

    bare = accelerator.unwrap_model(unet)
    ema.copy_to(bare.parameters())
    bare.save_pretrained("unet-ema")
