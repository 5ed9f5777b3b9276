"""Each optimizer gets the other's name: only its author knows whether the alternation is meant that way round."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(images, epochs=10):
    accelerator = Accelerator()
    generator, critic = nn.Linear(64, 784), nn.Linear(784, 1)
    g_opt = torch.optim.Adam(generator.parameters(), lr=1e-4)
    c_opt = torch.optim.Adam(critic.parameters(), lr=4e-4)
    loader = DataLoader(images, batch_size=64, shuffle=True)

    generator, critic, c_opt, g_opt, loader = accelerator.prepare(generator, critic, g_opt, c_opt, loader)

    for _ in range(epochs):
        for real in loader:
            fake = generator(torch.randn(len(real), 64))
            critic_loss = (critic(fake.detach()) - critic(real)).mean()
            c_opt.zero_grad()
            accelerator.backward(critic_loss)
            c_opt.step()

            g_opt.zero_grad()
            accelerator.backward(-critic(fake).mean())
            g_opt.step()
