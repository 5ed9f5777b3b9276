import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class SegmentationTrainer:
    def __init__(self, network, train_set, val_set, lr=1e-3, batch_size=4):
        self.accelerator = Accelerator()
        self.network = network
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=lr)
        self.train_loader = DataLoader(train_set, batch_size=batch_size, shuffle=True, num_workers=2)
        self.val_loader = DataLoader(val_set, batch_size=batch_size)
        self.loss_fn = nn.BCEWithLogitsLoss()
        self.prepare_everything()

    def prepare_everything(self):
        self.network, self.optimizer, self.val_loader, self.train_loader = self.accelerator.prepare(
            self.network, self.optimizer, self.val_loader, self.train_loader
        )

    def train(self, epochs):
        for _ in range(epochs):
            self.network.train()
            for image, mask in self.train_loader:
                image, mask = image.to(self.accelerator.device), mask.to(self.accelerator.device)
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.network(image), mask)
                self.accelerator.backward(loss)
                self.optimizer.step()
            self.validate()

    @torch.no_grad()
    def validate(self):
        self.network.eval()
        losses = []
        for image, mask in self.val_loader:
            losses.append(self.accelerator.gather_for_metrics(self.loss_fn(self.network(image), mask)[None]))
        self.accelerator.print(torch.cat(losses).mean().item())
