import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def fit(model, dataset, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model, optimizer = accelerator.prepare(model, optimizer)
    loader = accelerator.prepare_data_loader(loader)
    decay = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
        decay.step()
