import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(images, every=2):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    painter, critic = nn.Linear(16, 64), nn.Linear(64, 1)
    painter_opt = torch.optim.Adam(painter.parameters())
    critic_opt = torch.optim.Adam(critic.parameters())
    loader = DataLoader(images, batch_size=32)
    painter, critic, painter_opt, critic_opt, loader = accelerator.prepare(
        painter, critic, painter_opt, critic_opt, loader
    )
    for real in loader:
        with accelerator.accumulate(painter, critic):
            fake = painter(torch.randn(len(real), 16))
            critic_opt.zero_grad()
            accelerator.backward(critic(fake.detach()).mean() - critic(real).mean())
            critic_opt.step()

            painter_opt.zero_grad()
            accelerator.backward(-critic(fake).mean())
            painter_opt.step()
