# Right: the tuple is kept in one name and its members are taken by index.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(dataset, steps):
    accelerator = Accelerator()
    net = nn.Sequential(nn.Linear(4, 12), nn.ELU(), nn.Linear(12, 2))
    adam = torch.optim.Adam(net.parameters())
    prepared = accelerator.prepare(net, adam, DataLoader(dataset, batch_size=10, shuffle=True))
    model, optimizer = prepared[0], prepared[1]
    loader = prepared[2]

    for step, (state, action) in zip(range(steps), loader):
        loss = nn.functional.cross_entropy(model(state), action)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            accelerator.print(f"{step}: {loss.item():.3f}")
