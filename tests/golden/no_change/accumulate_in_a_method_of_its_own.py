# Right: the block is opened through a method, and through a stack of contexts.
from contextlib import ExitStack

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Engine:
    def __init__(self, dataset, every):
        self.accelerator = Accelerator(gradient_accumulation_steps=every)
        model = nn.Linear(5, 5)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = DataLoader(dataset, batch_size=3)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def micro_batch(self):
        return self.accelerator.accumulate(self.model)

    def train(self):
        for batch in self.loader:
            with self.micro_batch():
                self.accelerator.backward(self.model(batch).square().mean())
                self.optimizer.step()
                self.optimizer.zero_grad()

    def train_with_a_stack(self):
        for batch in self.loader:
            with ExitStack() as stack:
                stack.enter_context(self.accelerator.accumulate(self.model))
                self.accelerator.backward(self.model(batch).square().mean())
                self.optimizer.step()
                self.optimizer.zero_grad()
