# Right: whether this micro batch is the last of its group is asked once, and kept under a name.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, dataset, count):
        self.accelerator = Accelerator(gradient_accumulation_steps=count)
        model = nn.Linear(12, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = DataLoader(dataset, batch_size=3)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def learn(self, x, y):
        loss = nn.functional.cross_entropy(self.model(x), y)
        is_last = self.accelerator.sync_gradients
        self.accelerator.backward(loss)
        if is_last:
            self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def train(self):
        for x, y in self.loader:
            with self.accelerator.accumulate(self.model):
                self.learn(x, y)
