import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class MultiTask(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, 64), nn.ReLU())
        self.kind = nn.Linear(64, 4)
        self.price = nn.Linear(64, 1)

    def forward(self, x):
        hidden = self.trunk(x)
        return self.kind(hidden), self.price(hidden).squeeze(-1)


class MultiTaskTrainer:
    def __init__(self, dataset, width, weight=0.1):
        self.accelerator = Accelerator()
        self.weight = weight
        model = MultiTask(width)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        loader = DataLoader(dataset, batch_size=128, shuffle=True)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def training_step(self, x, kind, price):
        kind_logits, price_guess = self.model(x)
        kind_loss = nn.functional.cross_entropy(kind_logits, kind)
        price_loss = nn.functional.mse_loss(price_guess, price)
        self.accelerator.backward(kind_loss + self.weight * price_loss)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def fit(self, epochs):
        self.model.train()
        for _ in range(epochs):
            for batch in self.loader:
                self.training_step(*batch)
