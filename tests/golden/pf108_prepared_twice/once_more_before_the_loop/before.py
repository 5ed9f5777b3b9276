import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Session:
    def __init__(self, dataset):
        self.accelerator = Accelerator()
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = DataLoader(dataset, batch_size=4)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)
        # make sure that everything is where it belongs
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)

    def run(self):
        for x, y in self.loader:
            self.accelerator.backward(nn.functional.cross_entropy(self.model(x), y))
            self.optimizer.step()
            self.optimizer.zero_grad()
