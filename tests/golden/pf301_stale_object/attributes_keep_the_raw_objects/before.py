import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, model, dataset, loss_fn, lr=1e-3):
        self.accelerator = Accelerator()
        self.loss_fn = loss_fn
        self.model = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.loader = DataLoader(dataset, batch_size=32, shuffle=True)

        model, optimizer, loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)

    def train_epoch(self):
        self.model.train()
        for inputs, targets in self.loader:
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(inputs), targets)
            self.accelerator.backward(loss)
            self.optimizer.step()
        return loss.item()

    def train(self, epochs):
        history = []
        for epoch in range(epochs):
            history.append(self.train_epoch())
            self.accelerator.print(f"[{epoch}] {history[-1]:.4f}")
        return history
