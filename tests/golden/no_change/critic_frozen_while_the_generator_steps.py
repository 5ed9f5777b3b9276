# Right: the critic is frozen for the generator's turn only, within the loop.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(images):
    accelerator = Accelerator()
    generator, critic = nn.Linear(8, 32), nn.Linear(32, 1)
    g_opt, c_opt = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    loader = DataLoader(images, batch_size=16)
    generator, critic, g_opt, c_opt, loader = accelerator.prepare(generator, critic, g_opt, c_opt, loader)
    for real in loader:
        critic.requires_grad_(True)
        accelerator.backward(critic(generator(torch.randn(16, 8)).detach()).mean() - critic(real).mean())
        c_opt.step()
        c_opt.zero_grad()
        critic.requires_grad_(False)
        accelerator.backward(-critic(generator(torch.randn(16, 8))).mean())
        g_opt.step()
        g_opt.zero_grad()
