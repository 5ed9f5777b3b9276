"""An accelerator under any name that a script can do without: each way is right for itself."""

import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def train(dataset, distributed, limit):
    runner = Accelerator() if distributed else None
    model = nn.Linear(4, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=8)
    if runner:
        model, optimizer, loader = runner.prepare(model, optimizer, loader)
    for batch in loader:
        loss = model(batch).mean()
        if runner is None and limit:
            loss.backward()
        elif not runner:
            loss.backward()
        else:
            runner.backward(loss)
        if limit and runner is not None:
            runner.clip_grad_norm_(model.parameters(), limit)
        optimizer.step()
        optimizer.zero_grad()
    if runner is None or distributed:
        return model
    return runner.unwrap_model(model)


train(torch.zeros(32, 4), distributed=torch.cuda.is_available(), limit=1.0)
