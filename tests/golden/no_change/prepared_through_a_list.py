# Unclear: the loop below hands everything to prepare, one by one.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Setup:
    def __init__(self, dataset):
        self.accelerator = Accelerator()
        self.model = nn.Linear(8, 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.loader = DataLoader(dataset, batch_size=4)
        for name in ("model", "optimizer", "loader"):
            setattr(self, name, self.accelerator.prepare(getattr(self, name)))

    def train(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
