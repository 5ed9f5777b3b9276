import torch
from accelerate import Accelerator


class Segmentation:
    def __init__(self, model, loader, epochs):
        self.accelerator = Accelerator(gradient_accumulation_steps=2)
        self.epochs = epochs
        self.loader = self.accelerator.prepare(loader)
        self.model, self.optimizer = model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(
            self.optimizer, max_lr=0.1, total_steps=self.epochs * len(self.loader)
        )
        self.model, self.optimizer, self.schedule = self.accelerator.prepare(
            self.model, self.optimizer, self.schedule
        )

    def fit(self):
        for _ in range(self.epochs):
            for images, masks in self.loader:
                with self.accelerator.accumulate(self.model):
                    self.accelerator.backward(self.model(images, masks))
                    self.optimizer.step()
                    self.schedule.step()
                    self.optimizer.zero_grad()
