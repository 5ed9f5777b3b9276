# Right: each process plays its own games, so the loader over what it remembers is not shared out.
from collections import deque

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Player:
    def __init__(self, policy):
        self.accelerator = Accelerator()
        optimizer = torch.optim.Adam(policy.parameters(), lr=3e-4)
        self.policy, self.optimizer = self.accelerator.prepare(policy, optimizer)

    def learn(self, memories):
        columns = [torch.stack(column) for column in zip(*memories)]
        for state, action, gain in DataLoader(TensorDataset(*columns), batch_size=32, shuffle=True):
            chosen = nn.functional.log_softmax(self.policy(state), dim=-1).gather(1, action)
            self.accelerator.backward(-(chosen * gain).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()

    def play(self, game, rounds):
        memories = deque(maxlen=4096)
        for _ in range(rounds):
            state = game.begin()
            while not game.is_over():
                with torch.no_grad():
                    action = self.policy(state).argmax(dim=-1, keepdim=True)
                memories.append((state, action, game.move(action)))
                state = game.look()
            self.learn(memories)
            memories.clear()
