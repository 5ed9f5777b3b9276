# Right: of the two calls only one runs; whether it did is remembered in a setting.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, args, system, dataset):
        self.accelerator = Accelerator()
        self.sharded = args.fsdp
        self.system = system
        if self.sharded:
            self.system.net = self.accelerator.prepare(self.system.net)
        self.optimizer = torch.optim.SGD(self.system.net.parameters(), lr=0.1)
        self.loader = DataLoader(dataset, batch_size=2)
        if not self.sharded:
            self.system.net, self.optimizer, self.loader = self.accelerator.prepare(
                self.system.net, self.optimizer, self.loader
            )

    def train(self):
        for batch in self.loader:
            self.accelerator.backward(self.system.net(batch).square().mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
