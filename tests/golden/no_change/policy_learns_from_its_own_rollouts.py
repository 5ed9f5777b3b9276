# Right: the loader walks what the prepared policy did in this process, detached, so each rank has data of its own.
from collections import deque, namedtuple

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, Dataset

Step = namedtuple("Step", ["state", "action"])


class Steps(Dataset):
    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns[0])

    def __getitem__(self, index):
        return tuple(column[index] for column in self.columns)


class Agent:
    def __init__(self, policy):
        self.accelerator = Accelerator()
        self.optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)
        self.policy, self.optimizer = self.accelerator.prepare(policy, self.optimizer)

    def play(self, env, episodes):
        memory = deque([])
        for _ in range(episodes):
            state = env.reset()
            action = self.policy(state)
            memory.append(Step(state.detach(), action.detach().cpu()))
            self.learn(memory)

    def learn(self, memory):
        columns = list(map(torch.stack, zip(*memory)))
        loader = DataLoader(Steps(columns), batch_size=4, shuffle=True)
        for state, action in loader:
            loss = (self.policy(state) - action).pow(2).mean()
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
