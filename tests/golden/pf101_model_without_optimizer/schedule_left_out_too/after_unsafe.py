import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR


def fit(dataset, epochs):
    accelerator = Accelerator()
    regressor = nn.Linear(8, 1)
    adam = torch.optim.Adam(regressor.parameters(), lr=2e-3)
    batches = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True)
    decay = CosineAnnealingLR(adam, T_max=len(batches) * epochs)
    regressor, adam, batches, decay = accelerator.prepare(regressor, adam, batches, decay)
    for _ in range(epochs):
        for inputs, targets in batches:
            loss = (regressor(inputs) - targets).pow(2).mean()
            accelerator.backward(loss)
            adam.step()
            decay.step()
            adam.zero_grad()
