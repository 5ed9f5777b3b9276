import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import LinearLR


class Ensemble:
    def __init__(self, width, count, loader):
        self.accelerator = Accelerator()
        self.models = [nn.Linear(width, 1) for _ in range(count)]
        self.optimizers = []
        for model in self.models:
            self.optimizers.append(torch.optim.SGD(model.parameters(), lr=0.1))
        self.schedules = [LinearLR(optimizer) for optimizer in self.optimizers]
        self.models, self.optimizers, self.schedules, self.loader = self.accelerator.prepare(
            self.models, self.optimizers, self.schedules, loader
        )

    def fit(self):
        for x, y in self.loader:
            for model, optimizer, schedule in zip(self.models, self.optimizers, self.schedules):
                self.accelerator.backward(nn.functional.mse_loss(model(x), y))
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
