import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, with_critic):
    accelerator = Accelerator()
    actor, critic = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-2)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    actor, critic, optimizer, loader = accelerator.prepare(actor, critic, optimizer, loader)
    for batch in loader:
        loss = (actor(batch) - 1).pow(2).mean()
        if with_critic:
            loss = loss + critic(batch).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    fit(torch.rand(32, 4), with_critic=True)
