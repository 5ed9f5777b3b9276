# Right: the raw model shares its weights with the prepared one and is only sampled from and evaluated.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Sampler(nn.Module):
    def __init__(self, vocabulary, width=64):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocabulary)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])

    @torch.no_grad()
    def sample(self, ids, length):
        for _ in range(length):
            probabilities = self(ids)[:, -1].softmax(dim=-1)
            ids = torch.cat([ids, torch.multinomial(probabilities, 1)], dim=1)
        return ids


def train(texts, vocabulary, epochs=5):
    accelerator = Accelerator()
    net = Sampler(vocabulary)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    loader = DataLoader(texts, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(net, optimizer, loader)

    for epoch in range(epochs):
        for ids in loader:
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(net.sample(ids[:1, :4], 20).tolist())
        with torch.no_grad():
            accelerator.print(f"entropy {-net(ids).log_softmax(-1).mean().item():.3f}")
