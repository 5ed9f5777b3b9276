# Right: every network is prepared with its own optimizer, in two methods of the class.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class WassersteinTrainer:
    def __init__(self, generator, critic, dataset, latent=64, penalty=10.0):
        self.accelerator = Accelerator()
        self.latent, self.penalty = latent, penalty
        self.generator, self.critic = generator, critic
        self._prepare_generator()
        self._prepare_critic()
        self.loader = self.accelerator.prepare(DataLoader(dataset, batch_size=32, shuffle=True))

    def _prepare_generator(self):
        optimizer = torch.optim.RMSprop(self.generator.parameters(), lr=5e-5)
        self.generator, self.opt_g = self.accelerator.prepare(self.generator, optimizer)

    def _prepare_critic(self):
        optimizer = torch.optim.RMSprop(self.critic.parameters(), lr=5e-5)
        self.critic, self.opt_c = self.accelerator.prepare(self.critic, optimizer)

    def sample(self, n):
        return self.generator(torch.randn(n, self.latent, device=self.accelerator.device))

    def gradient_penalty(self, real, fake):
        mix = torch.rand(len(real), *[1] * (real.dim() - 1), device=real.device)
        between = (mix * real + (1 - mix) * fake).requires_grad_(True)
        (gradient,) = torch.autograd.grad(self.critic(between).sum(), between, create_graph=True)
        return (gradient.flatten(1).norm(dim=1) - 1).square().mean()

    def train(self, epochs):
        for _ in range(epochs):
            for step, real in enumerate(self.loader):
                fake = self.sample(len(real)).detach()
                loss = self.critic(fake).mean() - self.critic(real).mean()
                loss = loss + self.penalty * self.gradient_penalty(real, fake)
                self.opt_c.zero_grad()
                self.accelerator.backward(loss)
                self.opt_c.step()
                if step % 5 == 0:
                    self.opt_g.zero_grad()
                    self.accelerator.backward(-self.critic(self.sample(len(real))).mean())
                    self.opt_g.step()
