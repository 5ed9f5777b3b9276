import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Forecaster:
    def __init__(self, steps):
        self.steps = steps
        self.accelerator = Accelerator(gradient_accumulation_steps=steps)

    def fit(self, windows):
        model = nn.Linear(24, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        loader = DataLoader(windows, batch_size=4)
        model, optimizer, loader = self.accelerator.prepare(model, optimizer, loader)
        for past, future in loader:
            with self.accelerator.accumulate(model):
                loss = (model(past) - future).abs().mean()
                loss /= self.accelerator.gradient_accumulation_steps
                self.accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
