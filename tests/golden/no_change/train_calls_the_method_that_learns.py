# Right: `learn` gets what the prepared policy did in this process; `train` calls it, though models have a `train` too.
import numpy as np
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


class Agent:
    def __init__(self, policy, critic):
        self.accelerator = Accelerator()
        self.optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-4)
        self.policy, self.critic, self.optimizer = self.accelerator.prepare(policy, critic, self.optimizer)

    def learn(self, states, returns):
        self.policy.train()
        self.critic.train()
        loader = DataLoader(TensorDataset(torch.from_numpy(np.stack(states)), returns), batch_size=4)
        for state, wanted in loader:
            loss = (self.critic(self.policy(state)) - wanted).pow(2).mean()
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()

    def train(self, env, steps):
        states = []
        state = env.reset()
        with torch.no_grad():
            for _ in range(steps):
                action = self.policy(state)
                state = env.step(torch.tanh(action))
                states.append(state.numpy())
        self.learn(states, env.returns())
