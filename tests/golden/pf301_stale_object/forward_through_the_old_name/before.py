import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Tagger(nn.Module):
    def __init__(self, vocabulary, tags):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, 64)
        self.lstm = nn.LSTM(64, 64, batch_first=True)
        self.out = nn.Linear(64, tags)

    def forward(self, words):
        return self.out(self.lstm(self.embed(words))[0])


def train(sentences, vocabulary, tags, epochs=10):
    accelerator = Accelerator()
    tagger = Tagger(vocabulary, tags)
    optimizer = torch.optim.Adam(tagger.parameters())
    loader = DataLoader(sentences, batch_size=32, shuffle=True)

    ddp_tagger, optimizer, loader = accelerator.prepare(tagger, optimizer, loader)
    accelerator.print(f"{sum(p.numel() for p in tagger.parameters()):,} weights")

    for _ in range(epochs):
        ddp_tagger.train()
        for words, gold in loader:
            scores = tagger(words)
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), gold, ignore_index=-1)
            optimizer.zero_grad()
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(ddp_tagger.parameters(), 5.0)
            optimizer.step()
    return tagger.state_dict()
