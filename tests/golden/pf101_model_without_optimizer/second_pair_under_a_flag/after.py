import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, loader, with_critic):
        self.accelerator = Accelerator()
        self.with_critic = with_critic
        self.actor = nn.Linear(4, 1)
        self.actor_optimizer = optim.AdamW(self.actor.parameters(), lr=1e-2)
        self.loader = loader
        if self.with_critic:
            self.critic = nn.Linear(4, 1)
            self.critic_optimizer = optim.AdamW(self.critic.parameters(), lr=1e-2)
        self.actor, self.actor_optimizer, self.loader = self.accelerator.prepare(
            self.actor, self.actor_optimizer, self.loader
        )
        if self.with_critic:
            self.critic, self.critic_optimizer = self.accelerator.prepare(self.critic, self.critic_optimizer)

    def train(self):
        for batch in self.loader:
            loss = self.actor(batch).mean()
            if self.with_critic:
                loss = loss + self.critic(batch).pow(2).mean()
            self.accelerator.backward(loss)
            self.actor_optimizer.step()
            self.actor_optimizer.zero_grad()
            if self.with_critic:
                self.critic_optimizer.step()
                self.critic_optimizer.zero_grad()


if __name__ == "__main__":
    Trainer(DataLoader(torch.rand(32, 4), batch_size=8), with_critic=True).train()
