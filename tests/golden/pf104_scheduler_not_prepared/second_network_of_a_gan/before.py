import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import DataLoader


class Adversarial:
    def __init__(self, generator, critic, dataset, latent=64):
        self.accelerator = Accelerator()
        self.latent = latent
        self.generator, self.critic = generator, critic
        self.g_opt = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.c_opt = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.9))
        self.g_schedule = ExponentialLR(self.g_opt, gamma=0.9999)
        self.c_schedule = ExponentialLR(self.c_opt, gamma=0.9999)
        self.loader = DataLoader(dataset, batch_size=64, shuffle=True)
        self.generator, self.g_opt, self.g_schedule, self.critic, self.c_opt, self.loader = self.accelerator.prepare(
            self.generator, self.g_opt, self.g_schedule, self.critic, self.c_opt, self.loader
        )

    def train(self, epochs):
        for _ in range(epochs):
            for real in self.loader:
                noise = torch.randn(len(real), self.latent, device=self.accelerator.device)

                self.c_opt.zero_grad()
                fake = self.generator(noise).detach()
                c_loss = nn.functional.relu(1 - self.critic(real)).mean() + nn.functional.relu(1 + self.critic(fake)).mean()
                self.accelerator.backward(c_loss)
                self.c_opt.step()
                self.c_schedule.step()

                self.g_opt.zero_grad()
                self.accelerator.backward(-self.critic(self.generator(noise)).mean())
                self.g_opt.step()
                self.g_schedule.step()
