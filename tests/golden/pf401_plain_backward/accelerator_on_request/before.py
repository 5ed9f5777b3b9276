import torch
from accelerate import Accelerator
from torch import nn


class Learner:
    def __init__(self, net, batches, accelerated=True):
        self.net, self.batches = net, batches
        self.optimizer = torch.optim.Adam(net.parameters())
        if accelerated:
            self.accelerator = Accelerator()
            self.net, self.optimizer, self.batches = self.accelerator.prepare(net, self.optimizer, batches)

    def fit(self):
        for x, y in self.batches:
            loss = nn.functional.mse_loss(self.net(x), y)
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def fit(net, batches, accelerator=None):
    optimizer = torch.optim.Adam(net.parameters())
    if accelerator is not None:
        net, optimizer, batches = accelerator.prepare(net, optimizer, batches)
    for x, y in batches:
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
