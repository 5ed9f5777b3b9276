import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Classification:
    def __init__(self, model, train_set, test_set):
        self.accelerator = Accelerator()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        loader = DataLoader(train_set, batch_size=64, shuffle=True)
        self.test_loader = DataLoader(test_set, batch_size=256)
        self.model, self.optimizer, self.loader, self.test_loader = self.accelerator.prepare(
            model, optimizer, loader, self.test_loader
        )

    def train(self, epochs):
        for _ in range(epochs):
            self.model.train()
            for images, labels in self.loader:
                self.accelerator.backward(nn.functional.cross_entropy(self.model(images), labels))
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.accelerator.print(self.test())

    def test(self):
        self.model.eval()
        right = 0
        with torch.no_grad():
            for images, labels in self.test_loader:
                images, labels = images.to(self.accelerator.device), labels.to(self.accelerator.device)
                guesses = self.model(images).argmax(dim=-1)
                guesses, labels = self.accelerator.gather_for_metrics((guesses, labels))
                right += (guesses == labels).sum().item()
        return right
