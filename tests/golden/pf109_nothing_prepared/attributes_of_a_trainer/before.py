import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, dataset, width=64):
        self.accelerator = Accelerator()
        self.model = nn.Linear(width, 2)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.loader = DataLoader(dataset, batch_size=16)
        self.seen = 0

    def train(self):
        for x, y in self.loader:
            self.accelerator.backward(nn.functional.cross_entropy(self.model(x), y))
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.seen += len(x)
