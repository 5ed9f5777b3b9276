import torch
from accelerate import Accelerator
from torch import nn


class Trainer:
    def __init__(self, model, loader, steps):
        self.accelerator = Accelerator()
        self.steps = steps
        self.model = model
        self.opt = torch.optim.Adam(self.model.parameters(), lr=3e-4)
        self.loader = loader
        self.model, self.opt, self.loader = self.accelerator.prepare(self.model, self.opt, self.loader)

    def training_step(self, batch):
        prediction = self.model.module(batch["image"])
        return nn.functional.mse_loss(prediction, batch["target"])

    def run(self):
        for step, batch in zip(range(self.steps), self.loader):
            loss = self.training_step(batch)
            self.accelerator.backward(loss)
            self.opt.step()
            self.opt.zero_grad()
