import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Probe(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, classes)

    def forward(self, features):
        return self.out(self.norm(features))


def train_probe(features, labels, classes):
    accelerator = Accelerator()
    probe = Probe(features.shape[1], classes)
    optimizer = torch.optim.Adam(probe.parameters(), lr=3e-4)
    loader = accelerator.prepare(DataLoader(list(zip(features, labels)), batch_size=64, shuffle=True))
    probe, optimizer = accelerator.prepare(probe, optimizer)

    for _ in range(25):
        for x, y in loader:
            loss = nn.functional.cross_entropy(probe(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return accelerator.unwrap_model(probe)
