# Right: LocalSGD gets the prepared model and lets the processes drift between its meetings.
import torch
from accelerate import Accelerator
from accelerate.local_sgd import LocalSGD
from torch import nn
from torch.utils.data import DataLoader


def train(model, dataset, local_steps=8, epochs=2):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(epochs):
        model.train()
        with LocalSGD(accelerator=accelerator, model=model, local_sgd_steps=local_steps, enabled=True) as local_sgd:
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
                local_sgd.step()
