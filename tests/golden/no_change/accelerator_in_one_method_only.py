# Right: the pretraining method is plain torch and knows no accelerator; the other one prepares and uses it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class TwoPhases:
    def __init__(self, width):
        self.encoder = nn.Linear(width, 16)
        self.decoder = nn.Linear(16, width)
        self.head = nn.Linear(16, 2)

    def pretrain(self, x, steps=200):
        optimizer = torch.optim.Adam([*self.encoder.parameters(), *self.decoder.parameters()], lr=1e-3)
        for _ in range(steps):
            loss = (self.decoder(self.encoder(x)) - x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
            optimizer.step()

    def finetune(self, dataset, epochs=2):
        accelerator = Accelerator()
        model = nn.Sequential(self.encoder, nn.ReLU(), self.head)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
        loader = DataLoader(dataset, batch_size=32, shuffle=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for _ in range(epochs):
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
