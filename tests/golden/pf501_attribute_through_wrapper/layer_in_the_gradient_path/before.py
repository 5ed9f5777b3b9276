import torch
from accelerate import Accelerator
from torch import nn


class Speller(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.decoder = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, hidden):
        return self.out(self.decoder(hidden)[0])


def train(loader):
    accelerator = Accelerator()
    speller = Speller(100, 24)
    optimizer = torch.optim.Adam(speller.parameters())
    speller, optimizer, loader = accelerator.prepare(speller, optimizer, loader)
    for tokens in loader:
        hidden = speller.embedding(tokens)
        logits = speller(hidden)
        accelerator.backward(nn.functional.cross_entropy(logits.transpose(1, 2), tokens))
        optimizer.step()
        optimizer.zero_grad()
