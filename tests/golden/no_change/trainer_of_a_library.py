# Unknown: whoever builds this trainer may have prepared the objects already; it never prepares anything itself.
import torch
from accelerate import Accelerator


class LoopRunner:
    """Runs a loop over objects that the caller has prepared."""

    def __init__(self, accelerator: Accelerator, model, optimizer, loader, scheduler=None):
        self.accelerator = accelerator
        self.model = model
        self.optimizer = optimizer
        self.loader = loader
        self.scheduler = scheduler

    def step(self, batch):
        with self.accelerator.accumulate(self.model):
            loss = self.model(**batch).loss
            self.accelerator.backward(loss)
            self.optimizer.step()
            if self.scheduler is not None:
                self.scheduler.step()
            self.optimizer.zero_grad()
        return loss.detach()

    def run(self, epochs):
        self.model.train()
        for _ in range(epochs):
            losses = torch.stack([self.step(batch) for batch in self.loader])
            mean = self.accelerator.reduce(losses.mean(), reduction="mean")
            self.accelerator.print(f"loss {mean.item():.4f}")
