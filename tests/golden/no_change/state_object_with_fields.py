# Right: everything lives in the fields of one object, prepared in place by a function that gets it.
from dataclasses import dataclass
from typing import Any

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


@dataclass
class TrainState:
    model: nn.Module
    optimizer: torch.optim.Optimizer
    loader: Any
    step: int = 0


def prepare_state(accelerator, state):
    state.model, state.optimizer, state.loader = accelerator.prepare(state.model, state.optimizer, state.loader)
    return state


def train(dataset, epochs=2):
    accelerator = Accelerator()
    model = nn.Linear(15, 3)
    optimizer = torch.optim.Adam(model.parameters())
    state = TrainState(model, optimizer, DataLoader(dataset, batch_size=30, shuffle=True))
    state = prepare_state(accelerator, state)

    for _ in range(epochs):
        for x, y in state.loader:
            loss = nn.functional.cross_entropy(state.model(x), y)
            accelerator.backward(loss)
            state.optimizer.step()
            state.optimizer.zero_grad()
            state.step += 1
    return state
