# Right: prepare_training() pairs model and optimizer, only the loader is prepared in the constructor.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Classifier:
    def __init__(self, backbone, dataset, classes):
        self.accelerator = Accelerator(mixed_precision="bf16")
        self.model = nn.Sequential(backbone, nn.LazyLinear(classes))
        self.loader = self.accelerator.prepare(DataLoader(dataset, batch_size=64, shuffle=True))
        self.optimizer = None

    def prepare_training(self, lr):
        with torch.no_grad():
            self.model(next(iter(self.loader))[0].cpu())
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.model, self.optimizer = self.accelerator.prepare(self.model, self.optimizer)

    def fit(self, epochs, lr=1e-3):
        self.prepare_training(lr)
        for epoch in range(epochs):
            self.model.train()
            for images, labels in self.loader:
                with self.accelerator.autocast():
                    loss = nn.functional.cross_entropy(self.model(images), labels)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()
            self.accelerator.print(f"epoch {epoch}: {loss.item():.3f}")
