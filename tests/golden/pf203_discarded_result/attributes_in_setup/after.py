import torch
from accelerate import Accelerator
from torch import nn


class Experiment:
    def __init__(self, config):
        self.config = config
        self.accelerator = Accelerator()
        self.model = None
        self.optimizer = None
        self.loader = None

    def setup(self, dataset):
        self.model = nn.Sequential(
            nn.Linear(self.config.inputs, self.config.hidden),
            nn.Tanh(),
            nn.Linear(self.config.hidden, 1),
        )
        self.optimizer = torch.optim.Rprop(self.model.parameters())
        self.loader = torch.utils.data.DataLoader(dataset, batch_size=self.config.batch_size)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)

    def run(self, dataset):
        self.setup(dataset)
        for epoch in range(self.config.epochs):
            total = 0.0
            for x, y in self.loader:
                self.optimizer.zero_grad()
                loss = nn.functional.mse_loss(self.model(x), y)
                self.accelerator.backward(loss)
                self.optimizer.step()
                total += loss.item()
            self.accelerator.print(f"epoch {epoch}: {total:.3f}")
