import torch
from accelerate import Accelerator
from torch import nn


class Memory(nn.Module):
    def __init__(self, slots, width):
        super().__init__()
        self.register_buffer("usage", torch.zeros(slots))
        self.keys = nn.Parameter(torch.randn(slots, width))

    def forward(self, query):
        scores = query @ self.keys.T
        self.usage += scores.detach().softmax(dim=-1).sum(dim=0)
        return scores


class Runner:
    def __init__(self, loader):
        self._accelerator = Accelerator()
        self.memory = Memory(64, 16)
        self.optim = torch.optim.SGD(self.memory.parameters(), lr=0.1)
        (
            self.memory,
            self.optim,
            self.loader,
        ) = self._accelerator.prepare(
            self.memory,
            self.optim,
            loader,
        )

    def fit(self):
        for query, slot in self.loader:
            loss = nn.functional.cross_entropy(self.memory(query), slot)
            self._accelerator.backward(loss)
            self.optim.step()
            self.optim.zero_grad()

    def report(self):
        dead = (self.memory.module.usage == 0).sum()
        busiest = self.memory.module.usage.argmax()
        self._accelerator.print(f"dead {dead}, busiest {busiest}, norm {self.memory.module.keys.detach().norm()}")
