import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(16, 8)
        self.head = nn.Linear(8, 4)

    def forward(self, features):
        return self.head(self.body(features))


class Trainer:
    def __init__(self, dataset):
        self.accelerator = Accelerator()
        self.tagger = Tagger()
        optimizer = torch.optim.Adam(self.tagger.body.parameters(), lr=1e-3)
        loader = DataLoader(dataset, batch_size=8, shuffle=True)
        self.tagger, self.optimizer, self.loader = self.accelerator.prepare(self.tagger, optimizer, loader)

    def fit(self):
        for features, labels in self.loader:
            self.accelerator.backward(nn.functional.cross_entropy(self.tagger(features), labels))
            self.optimizer.step()
            self.optimizer.zero_grad()
