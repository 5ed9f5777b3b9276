"""Two new names for three objects: nothing says which object was to be left out, so there is no fix."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()

network = nn.Linear(3, 1)
sgd = torch.optim.SGD(network.parameters(), lr=0.1)
x = torch.randn(90, 3)
data = DataLoader(TensorDataset(x, x.sum(dim=1, keepdim=True)), batch_size=9)

first, second = accelerator.prepare(network, sgd, data)

for epoch in range(3):
    for inputs, targets in data:
        loss = nn.functional.mse_loss(first(inputs), targets)
        accelerator.backward(loss)
        second.step()
        second.zero_grad()
