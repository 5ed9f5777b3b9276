import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, with_critic, turn=False):
    accelerator = Accelerator()
    actor = nn.Linear(4, 1)
    actor_optimizer = optim.AdamW(actor.parameters(), lr=1e-2)
    loader = DataLoader(data, batch_size=8)
    if with_critic:
        critic = nn.Linear(4, 1)
        critic_optimizer = optim.AdamW(critic.parameters(), lr=1e-2)
    if turn:
        with_critic = not with_critic
    actor, actor_optimizer, loader = accelerator.prepare(actor, actor_optimizer, loader)
    if with_critic:
        critic = accelerator.prepare(critic)
    for batch in loader:
        loss = actor(batch).mean()
        if with_critic:
            loss = loss + critic(batch).pow(2).mean()
        accelerator.backward(loss)
        actor_optimizer.step()
        actor_optimizer.zero_grad()
        if with_critic:
            critic_optimizer.step()
            critic_optimizer.zero_grad()


if __name__ == "__main__":
    flag = torch.cuda.is_available()
    fit(torch.rand(32, 4), flag)
    fit(torch.rand(32, 4), flag, turn=True)
    fit(torch.rand(32, 4), flag)
