import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def cycle(loader):
    while True:
        for batch in loader:
            yield batch


class DiffusionTrainer:
    def __init__(self, diffusion, dataset, *, batch_size=16, lr=1e-4, steps=100_000):
        self.accelerator = Accelerator()
        self.steps = steps
        self.model = diffusion
        self.opt = torch.optim.Adam(diffusion.parameters(), lr=lr)
        dl = DataLoader(dataset, batch_size=batch_size, shuffle=True, pin_memory=True)
        self.dl = cycle(dl)
        self.model, self.opt, self.dl = self.accelerator.prepare(self.model, self.opt, self.dl)

    def train(self):
        for step in range(self.steps):
            images = next(self.dl).to(self.accelerator.device)
            loss = self.model(images)
            self.accelerator.backward(loss)
            self.opt.step()
            self.opt.zero_grad()
