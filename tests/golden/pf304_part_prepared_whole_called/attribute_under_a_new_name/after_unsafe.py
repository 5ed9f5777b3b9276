import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Captioner(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Linear(512, width)
        self.decoder = nn.GRU(width, width, batch_first=True)

    def forward(self, pixels, words):
        start = self.encoder(pixels).unsqueeze(1)
        return self.decoder(words + start)[0]


def main(dataset):
    accelerator = Accelerator()
    captioner = Captioner(64)
    optimizer = torch.optim.AdamW(captioner.decoder.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=8)
    captioner, optimizer, loader = accelerator.prepare(captioner, optimizer, loader)
    for pixels, words, target in loader:
        loss = nn.functional.mse_loss(captioner(pixels, words), target)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
