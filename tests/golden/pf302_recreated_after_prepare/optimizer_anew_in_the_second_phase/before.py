import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Phases:
    def __init__(self, dataset):
        self.accelerator = Accelerator()
        self.model = nn.Linear(5, 5)
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.loader = DataLoader(dataset, batch_size=10)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)
        self.accelerator.print(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-3)

    def run(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(batch).square().mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
