# Right: without an accelerator there is nothing but loss.backward(), and the branches are told apart.
import torch
from torch import nn
from torch.utils.data import DataLoader


class FlexibleTrainer:
    def __init__(self, model, dataset, use_accelerate=False, lr=1e-3):
        self.accelerator = None
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.loader = DataLoader(dataset, batch_size=32, shuffle=True)
        if use_accelerate:
            from accelerate import Accelerator

            self.accelerator = Accelerator()
            self.model, self.optimizer, self.loader = self.accelerator.prepare(
                self.model, self.optimizer, self.loader
            )

    def fit(self, epochs, max_norm=1.0):
        self.model.train()
        for _ in range(epochs):
            for x, y in self.loader:
                self.optimizer.zero_grad()
                loss = nn.functional.mse_loss(self.model(x), y)
                if self.accelerator:
                    self.accelerator.backward(loss)
                    self.accelerator.clip_grad_norm_(self.model.parameters(), max_norm)
                else:
                    loss.backward()
                    nn.utils.clip_grad_norm_(self.model.parameters(), max_norm)
                self.optimizer.step()
