import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


class Tagger:
    def __init__(self, model, sentences, criterion):
        self.accelerator = Accelerator(gradient_accumulation_steps=4)
        self.criterion = criterion
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        loader = DataLoader(sentences, batch_size=8, shuffle=True)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(model, optimizer, loader)

    def epoch(self):
        for words, tags in self.loader:
            with self.accelerator.accumulate(self.model):
                loss = self.criterion(self.model(words), tags)
                self.accelerator.backward(loss)
                self.optimizer.step()
                self.optimizer.zero_grad()

    def both(self):
        for words, tags in self.loader:
            with self.accelerator.accumulate(self.model):
                losses = {"tags": self.criterion(self.model(words), tags)}
                self.accelerator.backward(losses["tags"])
                self.optimizer.step()
                self.optimizer.zero_grad()
