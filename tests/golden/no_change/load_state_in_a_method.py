# Right: the constructor prepares, the method that loads runs later, whatever stands first in the class.
import torch
from accelerate import Accelerator


class Trainer:
    def resume(self, path):
        self.accelerator.load_state(path)
        self.eval_loader = self.accelerator.prepare(self.eval_loader)

    def __init__(self, model, loader, eval_loader):
        self.accelerator = Accelerator()
        self.model = model
        self.eval_loader = eval_loader
        self.optimizer = torch.optim.AdamW(model.parameters())
        self.model, self.optimizer, self.loader = self.accelerator.prepare(self.model, self.optimizer, loader)

    def fit(self):
        for batch in self.loader:
            self.accelerator.backward(self.model(batch).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
