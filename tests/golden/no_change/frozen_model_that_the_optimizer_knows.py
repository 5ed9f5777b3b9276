# Right: the optimizer takes the parameters of both, but those of the encoder are switched off: it gets no wrapper.
import torch
from accelerate import Accelerator
from diffusers import AutoencoderKL
from torch import nn
from torch.utils.data import DataLoader


def train(name, dataset):
    accelerator = Accelerator()
    encoder = AutoencoderKL.from_pretrained(name)
    encoder.requires_grad_(False)
    encoder = encoder.eval()
    head = nn.Linear(4, 10)
    for parameter in head.parameters():
        parameter.requires_grad = True
    optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-4)
    loader = DataLoader(dataset, batch_size=4)
    encoder, head, optimizer, loader = accelerator.prepare(encoder, head, optimizer, loader)
    for x, y in loader:
        latents = encoder.encode(x).latent_dist.sample() * encoder.config.scaling_factor
        loss = nn.functional.cross_entropy(head(latents.mean(dim=(2, 3))), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
