# Right: what is loaded was saved from the same prepared model, so the keys fit.
import copy

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, rounds):
    accelerator = Accelerator()
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=16)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    best = copy.deepcopy(model.state_dict())
    for _ in range(rounds):
        model.load_state_dict(best)
        for x, y in loader:
            accelerator.backward(nn.functional.cross_entropy(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
