# Cannot be followed: which attributes are read, prepared and bound again is told by names that come in.
import torch
from accelerate import Accelerator
from torch import nn


def bind_by_name(state, names, loader):
    accelerator = Accelerator()
    state.model = nn.Linear(4, 1)
    state.optimizer = torch.optim.SGD(state.model.parameters(), lr=0.1)
    state.model, loader = accelerator.prepare(state.model, loader)
    for name in names:
        setattr(state, name, accelerator.prepare(getattr(state, name)))
    for x, y in loader:
        accelerator.backward(nn.functional.mse_loss(state.model(x), y))
        state.optimizer.step()
        state.optimizer.zero_grad()


def read_by_name(state, name, loader):
    accelerator = Accelerator()
    state.model = nn.Linear(4, 1)
    state.optimizer = torch.optim.SGD(state.model.parameters(), lr=0.1)
    state.model, loader = accelerator.prepare(state.model, loader)
    stepper = accelerator.prepare(getattr(state, name))
    state.optimizer = stepper if name == "optimizer" else state.optimizer
    for x, y in loader:
        accelerator.backward(nn.functional.mse_loss(state.model(x), y))
        state.optimizer.step()
        state.optimizer.zero_grad()
