import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class SegmentationTrainer:
    def __init__(self, model, train_set, lr=3e-4, batch_size=4):
        self.accelerator = Accelerator()
        self.model = model.to(self.accelerator.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
        self.optimizer, self.loader = self.accelerator.prepare(self.optimizer, self.loader)

    def dice(self, logits, masks, eps=1.0):
        probabilities = logits.sigmoid().flatten(1)
        masks = masks.flatten(1)
        overlap = (probabilities * masks).sum(dim=1)
        return 1 - ((2 * overlap + eps) / (probabilities.sum(dim=1) + masks.sum(dim=1) + eps)).mean()

    def train_epoch(self):
        self.model.train()
        for images, masks in self.loader:
            self.optimizer.zero_grad()
            logits = self.model(images)
            loss = self.dice(logits, masks) + nn.functional.binary_cross_entropy_with_logits(logits, masks)
            self.accelerator.backward(loss)
            self.optimizer.step()
        return loss.item()

    def run(self, epochs):
        for epoch in range(epochs):
            loss = self.train_epoch()
            self.accelerator.print(f"epoch {epoch}: {loss:.3f}")
