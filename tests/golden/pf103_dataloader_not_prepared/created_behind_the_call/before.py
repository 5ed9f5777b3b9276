# The loader comes into being long after the model was prepared: it gets a call of its own.
import torch
from accelerate import Accelerator
from diffusers import DDPMScheduler, UNet2DModel
from torch.utils.data import DataLoader

accelerator = Accelerator(mixed_precision="fp16")
unet = UNet2DModel(sample_size=32, in_channels=3, out_channels=3)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
unet, optimizer = accelerator.prepare(unet, optimizer)

noise_scheduler = DDPMScheduler(num_train_timesteps=1000)
images = torch.load("images.pt")
loader = DataLoader(images, batch_size=16, shuffle=True)

for step, clean in enumerate(loader):
    clean = clean.to(accelerator.device)
    noise = torch.randn_like(clean)
    timesteps = torch.randint(0, 1000, (len(clean),), device=clean.device)
    noisy = noise_scheduler.add_noise(clean, noise, timesteps)
    loss = torch.nn.functional.mse_loss(unet(noisy, timesteps).sample, noise)
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    if step % 100 == 0:
        accelerator.print(loss.item())
