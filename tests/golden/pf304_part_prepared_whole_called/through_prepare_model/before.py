import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL
from torch.utils.data import DataLoader

accelerator = Accelerator()
vae = AutoencoderKL.from_pretrained("stabilityai/sd-vae-ft-mse")
optimizer = torch.optim.Adam(vae.decoder.parameters(), lr=1e-5)
loader = DataLoader(torch.rand(32, 3, 64, 64), batch_size=4)
decoder = accelerator.prepare_model(vae.decoder)
optimizer, loader = accelerator.prepare(optimizer, loader)
for images in loader:
    accelerator.backward((vae(images).sample - images).abs().mean())
    optimizer.step()
    optimizer.zero_grad()
