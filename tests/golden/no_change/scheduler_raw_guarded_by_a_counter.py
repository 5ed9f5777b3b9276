# Right: the raw schedule counts updates, and is only stepped when one was made.
import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import LinearLR
from torch.utils.data import DataLoader


class Pretraining:
    def __init__(self, model, dataset, every=16, epochs=1):
        self.accelerator = Accelerator(gradient_accumulation_steps=every)
        self.every, self.epochs = every, epochs
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        self.loader = DataLoader(dataset, batch_size=4, shuffle=True)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, self.loader)
        self.schedule = LinearLR(self.optimizer, total_iters=epochs * len(self.loader) // every)

    def run(self):
        for _ in range(self.epochs):
            for number, batch in enumerate(self.loader, start=1):
                with self.accelerator.accumulate(self.model):
                    self.accelerator.backward(self.model(batch).loss)
                    self.optimizer.step()
                    self.optimizer.zero_grad()
                if number % self.every == 0 or number == len(self.loader):
                    self.schedule.step()
