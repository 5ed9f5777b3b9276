import torch
from accelerate import Accelerator
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


class Generator(nn.Module):
    def __init__(self, latent, size):
        super().__init__()
        self.latent = latent
        self.layers = nn.Sequential(nn.Linear(latent, 128), nn.ReLU(), nn.Linear(128, size), nn.Tanh())

    def forward(self, noise):
        return self.layers(noise)


class Discriminator(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(size, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))

    def forward(self, sample):
        return self.layers(sample)


def train_gan(dataset, latent=32, size=784, epochs=5, lr=2e-4):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)

    generator = Generator(latent, size)
    discriminator = Discriminator(size)
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=lr, betas=(0.5, 0.999))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=lr, betas=(0.5, 0.999))

    generator, optimizer_g, loader = accelerator.prepare(generator, optimizer_g, loader)
    discriminator, optimizer_d = accelerator.prepare(discriminator, optimizer_d)

    for _ in range(epochs):
        for real in loader:
            noise = torch.randn(len(real), latent, device=accelerator.device)
            fake = generator(noise)

            scores = torch.cat([discriminator(real), discriminator(fake.detach())])
            wanted = torch.cat([torch.ones_like(scores[: len(real)]), torch.zeros_like(scores[len(real) :])])
            loss_d = F.binary_cross_entropy_with_logits(scores, wanted)
            optimizer_d.zero_grad()
            accelerator.backward(loss_d)
            optimizer_d.step()

            loss_g = F.softplus(-discriminator(fake)).mean()
            optimizer_g.zero_grad()
            accelerator.backward(loss_g)
            optimizer_g.step()
    return accelerator.unwrap_model(generator)
