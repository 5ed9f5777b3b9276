# Right: two models and two optimizers may share one call, and each loss goes through accelerator.backward.
import torch
from accelerate import Accelerator
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader


def block(inputs, outputs):
    return [nn.ConvTranspose2d(inputs, outputs, 4, 2, 1), nn.BatchNorm2d(outputs), nn.ReLU()]


def main(images, latent=100, epochs=25):
    accelerator = Accelerator()
    last = nn.ConvTranspose2d(32, 3, 4, 2, 1)
    net_g = nn.Sequential(nn.ConvTranspose2d(latent, 64, 4), *block(64, 32), last, nn.Tanh())
    net_d = nn.Sequential(nn.Conv2d(3, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 1, 8), nn.Flatten(0))
    opt_g = torch.optim.Adam(net_g.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(net_d.parameters(), lr=2e-4, betas=(0.5, 0.999))
    loader = DataLoader(images, batch_size=64, shuffle=True, drop_last=True)

    net_g, net_d, opt_g, opt_d, loader = accelerator.prepare(net_g, net_d, opt_g, opt_d, loader)

    for _ in range(epochs):
        for real in loader:
            fake = net_g(torch.randn(len(real), latent, 1, 1, device=accelerator.device))

            opt_d.zero_grad()
            loss_d = F.softplus(-net_d(real)).mean() + F.softplus(net_d(fake.detach())).mean()
            accelerator.backward(loss_d)
            opt_d.step()

            opt_g.zero_grad()
            loss_g = F.softplus(-net_d(fake)).mean()
            accelerator.backward(loss_g)
            opt_g.step()

    if accelerator.is_main_process:
        torch.save(accelerator.unwrap_model(net_g).state_dict(), "generator.pt")
