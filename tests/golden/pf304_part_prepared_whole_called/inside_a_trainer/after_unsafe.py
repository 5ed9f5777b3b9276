import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Linear(8, 4)
        self.value = nn.Linear(8, 1)

    def forward(self, states):
        return self.policy(states).log_softmax(-1), self.value(states)


class Learner:
    def __init__(self, episodes):
        self.accelerator = Accelerator()
        self.agent = Agent()
        self.optimizer = torch.optim.Adam(self.agent.policy.parameters())
        self.loader = DataLoader(episodes, batch_size=32)
        self.agent, self.optimizer, self.loader = self.accelerator.prepare(
            self.agent, self.optimizer, self.loader
        )

    def learn(self):
        for states, actions in self.loader:
            scores, value = self.agent(states)
            loss = nn.functional.nll_loss(scores, actions) - 0.1 * value.mean()
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
