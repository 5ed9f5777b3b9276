import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, others):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    network, stepper, batches, validation = accelerator.prepare(model, optimizer, loader, others["validation"])
    for features, wanted in batches:
        accelerator.backward(nn.functional.mse_loss(network(features), wanted))
        optimizer.step()
        optimizer.zero_grad()
