# Cannot be followed: setattr binds what prepare returns, so nothing is known about these attributes.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Runner:
    PREPARED = ("model", "optimizer", "loader")

    def __init__(self, dataset):
        self.accelerator = Accelerator()
        self.model = nn.Linear(4, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(dataset, batch_size=8, shuffle=True)
        results = self.accelerator.prepare(*(getattr(self, name) for name in self.PREPARED))
        for name, result in zip(self.PREPARED, results):
            setattr(self, name, result)

    def run(self, epochs=3):
        for _ in range(epochs):
            for x, y in self.loader:
                loss = nn.functional.mse_loss(self.model(x), y)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
