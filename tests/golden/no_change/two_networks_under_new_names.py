# Unclear: online and target network change places, both are models and the names differ from the arguments.
import copy

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(transitions, observations, actions, gamma=0.99, epochs=2):
    accelerator = Accelerator()
    a = nn.Sequential(nn.Linear(observations, 64), nn.ReLU(), nn.Linear(64, actions))
    b = copy.deepcopy(a)
    optimizer = torch.optim.Adam(a.parameters(), lr=1e-4)
    replay = DataLoader(transitions, batch_size=128, shuffle=True)
    online, target, optimizer, replay = accelerator.prepare(a, b, optimizer, replay)

    for _ in range(epochs):
        for state, action, reward, following in replay:
            with torch.no_grad():
                goal = reward + gamma * target(following).amax(dim=1)
            value = online(state).gather(1, action.unsqueeze(1)).squeeze(1)
            loss = nn.functional.smooth_l1_loss(value, goal)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), online.parameters()):
                slow.lerp_(fast, 0.1)
