# Right: the penalty only reads the weights of the model, which itself is prepared and called.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Penalty(nn.Module):
    def __init__(self, network, strength):
        super().__init__()
        self.network = network
        self.strength = strength

    def forward(self, prediction):
        return self.strength * sum(p.abs().sum() for p in self.network.parameters()) + 0 * prediction.sum()


def train(dataset):
    accelerator = Accelerator()
    network = nn.Linear(6, 6)
    penalty = Penalty(network, 1e-4)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=4)
    network, optimizer, loader = accelerator.prepare(network, optimizer, loader)
    for batch in loader:
        prediction = network(batch)
        accelerator.backward(prediction.square().mean() + penalty(prediction))
        optimizer.step()
        optimizer.zero_grad()
