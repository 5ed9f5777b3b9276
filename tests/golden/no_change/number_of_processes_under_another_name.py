# Right: the two ways of a model are told apart by the number of processes, whatever the name is that keeps it.
import torch
from accelerate import Accelerator


class Painter:
    def __init__(self, network, loader):
        self.accelerator = Accelerator()
        self.copies = self.accelerator.num_processes
        optimizer = torch.optim.Adam(network.parameters())
        self.network, self.optimizer, self.loader = self.accelerator.prepare(network, optimizer, loader)

    def paint(self, text):
        if self.copies > 1:
            return self.network.module.paint(text)
        return self.network.paint(text)

    def fit(self):
        for batch in self.loader:
            self.accelerator.backward(self.network(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
