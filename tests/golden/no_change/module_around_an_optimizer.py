# Right: a module that holds an optimizer and steps it is no model, and prepare finds no parameters to wrap in it.
import torch
from accelerate import Accelerator
from torch import nn


class WarmedUp(nn.Module):
    def __init__(self, accelerator, optimizer, steps):
        super().__init__()
        self.accelerator = accelerator
        self.optimizer = optimizer
        self.warmup = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=steps)

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.optimizer.step()
        self.warmup.step()


class Trainer:
    def __init__(self, net, loader):
        self.accelerator = Accelerator()
        self.optim = WarmedUp(self.accelerator, torch.optim.Adam(net.parameters()), 100)
        self.net, self.optim, self.loader = self.accelerator.prepare(net, self.optim, loader)

    def run(self, path):
        for batch in self.loader:
            self.accelerator.backward(self.net(batch).mean())
            self.optim.step()
            self.optim.zero_grad()
        weights = self.accelerator.get_state_dict(self.net)
        torch.save({"net": weights, "optim": self.optim.state_dict()}, path)
