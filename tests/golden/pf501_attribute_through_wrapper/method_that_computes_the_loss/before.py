import torch
from accelerate import Accelerator
from torch import nn


class Contrastive(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.image_tower = nn.Linear(32, width)
        self.text_tower = nn.Linear(48, width)
        self.temperature = nn.Parameter(torch.tensor(0.07))

    def forward(self, image, text):
        return self.image_tower(image), self.text_tower(text)

    def contrastive_loss(self, image, text):
        left, right = self(image, text)
        logits = left @ right.T / self.temperature
        return nn.functional.cross_entropy(logits, torch.arange(len(logits), device=logits.device))


def train(loader, epochs):
    accelerator = Accelerator()
    model = Contrastive(16)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for image, text in loader:
            loss = model.contrastive_loss(image, text)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
