# Right: _prepare() hands whatever it gets to the accelerator, and every object of the loop went through it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Worker:
    def __init__(self, model, dataset, lr):
        self.accelerator = Accelerator()
        self.model = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.model, self.optimizer = self._prepare(self.model, self.optimizer)
        self.loader = self._prepare(DataLoader(dataset, batch_size=16, shuffle=True))

    def _prepare(self, *objects):
        return self.accelerator.prepare(*objects)

    def train(self, epochs):
        for _ in range(epochs):
            for x, y in self.loader:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
