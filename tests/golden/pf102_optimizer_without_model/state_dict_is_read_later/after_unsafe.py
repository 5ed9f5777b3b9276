"""The keys of the state dict begin with ``module.`` once the model is wrapped: the author decides."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit_and_snapshot(dataset, epochs):
    accelerator = Accelerator()
    model = nn.Sequential(nn.Linear(20, 50), nn.SELU(), nn.Linear(50, 3))
    model.to(accelerator.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, nesterov=True, momentum=0.9)
    loader = DataLoader(dataset, batch_size=40, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    snapshots = []
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        snapshots.append({key: value.cpu().clone() for key, value in model.state_dict().items()})
    return snapshots
