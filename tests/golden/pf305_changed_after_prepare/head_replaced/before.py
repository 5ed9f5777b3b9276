import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import resnet34


class Transfer:
    def __init__(self, dataset, classes):
        self.accelerator = Accelerator()
        self.model = resnet34(weights="DEFAULT")
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)
        self.loader = DataLoader(dataset, batch_size=32)
        self.classes = classes

    def train(self):
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)
        bare = self.accelerator.unwrap_model(self.model)
        bare.fc = nn.Linear(512, self.classes)
        for x, y in self.loader:
            self.accelerator.backward(nn.functional.cross_entropy(self.model(x), y))
            self.optimizer.step()
            self.optimizer.zero_grad()
