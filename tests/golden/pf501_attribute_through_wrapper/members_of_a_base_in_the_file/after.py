import torch
from accelerate import Accelerator
from torch import nn


class Encoder(nn.Module):
    pooling = "mean"

    def __init__(self, width, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.embed = nn.Linear(8, width)

    def pool(self, hidden):
        return hidden.mean(dim=1) if self.pooling == "mean" else hidden[:, 0]


class Classifier(Encoder):
    def __init__(self, width, num_classes):
        super().__init__(width, num_classes)
        self.head = nn.Linear(width, num_classes)

    def forward(self, x):
        return self.head(self.pool(self.embed(x)))


class Experiment:
    def __init__(self, config, loader):
        self.accelerator = Accelerator(log_with="tensorboard")
        model = Classifier(config.width, config.num_classes)
        optimizer = torch.optim.Adam(model.parameters(), lr=config.lr)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def train(self):
        confusion = torch.zeros(self.accelerator.unwrap_model(self.model).num_classes, self.accelerator.unwrap_model(self.model).num_classes)
        for x, y in self.loader:
            logits = self.model(x)
            self.accelerator.backward(nn.functional.cross_entropy(logits, y))
            self.optimizer.step()
            self.optimizer.zero_grad()
            confusion[y.cpu(), logits.argmax(dim=-1).cpu()] += 1
        self.accelerator.log({"pooling": self.accelerator.unwrap_model(self.model).pooling, "errors": confusion.sum() - confusion.trace()})
