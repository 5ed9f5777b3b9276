import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Agent:
    def __init__(self, policy, episodes):
        self.acc = Accelerator(gradient_accumulation_steps=10)
        optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
        loader = DataLoader(episodes, batch_size=1)
        self.policy, self.optimizer, self.loader = self.acc.prepare(policy, optimizer, loader)

    def _update(self, states, returns):
        loss = nn.functional.mse_loss(self.policy(states), returns)
        self.acc.backward(loss)
        self.acc.clip_grad_value_(
            self.policy.parameters(),
            clip_value=0.5,
        )
        self.optimizer.step()
        self.optimizer.zero_grad()

    def learn(self):
        for states, returns in self.loader:
            with self.acc.accumulate(self.policy):
                self._update(states, returns)
