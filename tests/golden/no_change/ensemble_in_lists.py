# Right: members and their optimizers are prepared in one comprehension and trained through the new lists.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def member(inputs, outputs, seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(inputs, 50), nn.ReLU(), nn.Linear(50, outputs))


def train_ensemble(dataset, inputs, outputs, size=5, epochs=3):
    accelerator = Accelerator()
    members = [member(inputs, outputs, seed) for seed in range(size)]
    optimizers = [torch.optim.Adam(m.parameters(), lr=1e-3) for m in members]
    pairs = [accelerator.prepare(m, o) for m, o in zip(members, optimizers)]
    loader = accelerator.prepare(DataLoader(dataset, batch_size=100, shuffle=True))

    for _ in range(epochs):
        for x, y in loader:
            for model, optimizer in pairs:
                loss = nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                accelerator.backward(loss)
                optimizer.step()

    return [accelerator.unwrap_model(model) for model, _ in pairs]
