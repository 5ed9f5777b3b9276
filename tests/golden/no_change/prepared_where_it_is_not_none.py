# Right: what is None is not prepared, and nothing raw is left behind where the prepared objects are taken back.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Fitter:
    def __init__(self, net):
        self.accelerator = Accelerator()
        self.net, self.optimizer = net, torch.optim.SGD(net.parameters(), lr=0.3)
        self.train_batches = None
        self.test_batches = None

    def set_up(self):
        handed = [self.net, self.optimizer]
        if self.train_batches is not None:
            handed.append(self.train_batches)
        if self.test_batches is not None:
            handed.append(self.test_batches)
        prepared = self.accelerator.prepare(*handed)
        self.net, self.optimizer = prepared[0], prepared[1]
        if self.train_batches is not None:
            self.train_batches = prepared[2]
            if self.test_batches is not None:
                self.test_batches = prepared[3]
        elif self.test_batches is not None:
            self.test_batches = prepared[2]

    def fit(self, examples, tests=None):
        self.train_batches = DataLoader(examples, batch_size=16, shuffle=True)
        if tests is not None:
            self.test_batches = DataLoader(tests, batch_size=16)
        self.set_up()
        for batch in self.train_batches:
            self.accelerator.backward(self.net(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
