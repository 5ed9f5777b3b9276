import torch
from accelerate import Accelerator


class Trainer:
    """Gets model and data raw, and prepares everything under names of its own."""

    def __init__(self, model, loader, lr=0.1):
        self.accelerator = Accelerator()
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        decay = torch.optim.lr_scheduler.MultiStepLR(optimizer, [60, 80])
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)
        self.scheduler = decay

    def train(self, epochs=100):
        for _ in range(epochs):
            for images, labels in self.loader:
                self.optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(self.model(images), labels)
                self.accelerator.backward(loss)
                self.optimizer.step()
            self.scheduler.step()
