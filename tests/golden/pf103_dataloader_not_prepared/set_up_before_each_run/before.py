import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Study:
    """May be run several times: each run sets everything up anew."""

    def __init__(self, sizes):
        self.accelerator = Accelerator()
        self.sizes = sizes
        self.model = None

    def set_up(self, dataset):
        self.model = torch.nn.Sequential(*(torch.nn.Linear(a, b) for a, b in zip(self.sizes, self.sizes[1:])))
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.loader = DataLoader(dataset, batch_size=16, shuffle=True)
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)

    def run(self, dataset, epochs):
        self.set_up(dataset)
        for _ in range(epochs):
            for x, y in self.loader:
                self.accelerator.backward((self.model(x) - y).square().mean())
                self.optimizer.step()
                self.optimizer.zero_grad()
