# Right: the loop counts steps, `total=` and the bounds of a range are walked by nobody.
from itertools import islice

import torch
from accelerate import Accelerator
from tqdm import tqdm


def endless(loader):
    while True:
        yield from loader


class Fitter:
    def __init__(self, net, loader, steps):
        self.accelerator = Accelerator()
        self.steps = steps
        self.done = torch.zeros(())
        self.optimizer = torch.optim.RMSprop(net.parameters())
        self.net, self.optimizer, self.loader = self.accelerator.prepare(net, self.optimizer, loader)

    def fit(self):
        batches = endless(self.loader)
        bar = tqdm(range(int(self.done.item()), self.steps), total=self.steps)
        for _ in bar:
            self.update(next(batches))

    def try_out(self):
        for batch in islice(self.loader, self.steps):
            self.update(batch)

    def update(self, batch):
        self.accelerator.backward(self.net(batch).mean())
        self.optimizer.step()
        self.optimizer.zero_grad()
