import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader
from torchvision.models import resnet18

ACCUMULATION = 8


class Trainer:
    def __init__(self, images, classes):
        self.accelerator = Accelerator(gradient_accumulation_steps=ACCUMULATION)
        self.model = resnet18(num_classes=classes)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.loader = DataLoader(images, batch_size=16, shuffle=True)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)

    def run(self, epochs):
        self.model.train()
        for _ in range(epochs):
            for images, labels in self.loader:
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.model(images), labels)
                self.accelerator.backward(loss)
                self.optimizer.step()


if __name__ == "__main__":
    from torchvision.datasets import FakeData

    Trainer(FakeData(64, num_classes=3), 3).run(1)
