import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import ReduceLROnPlateau
from torch.utils.data import DataLoader


class Forecaster:
    def __init__(self, model, train_set, val_set):
        self.accelerator = Accelerator()
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
        self.plateau = ReduceLROnPlateau(self.optimizer, factor=0.3, patience=4)
        self.train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
        self.val_loader = DataLoader(val_set, batch_size=256)
        (
            self.model,
            self.optimizer,
            self.train_loader,
            self.val_loader,
            self.plateau,
        ) = self.accelerator.prepare(
            self.model,
            self.optimizer,
            self.train_loader,
            self.val_loader,
            self.plateau,  # watches the validation loss
        )

    def fit(self, epochs):
        for _ in range(epochs):
            self.model.train()
            for past, future in self.train_loader:
                self.optimizer.zero_grad()
                self.accelerator.backward((self.model(past) - future).abs().mean())
                self.optimizer.step()
            self.plateau.step(self.validate())

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        errors = []
        for past, future in self.val_loader:
            errors.append(self.accelerator.gather_for_metrics((self.model(past) - future).abs()))
        return torch.cat(errors).mean().item()
