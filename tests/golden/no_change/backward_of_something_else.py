# Right: the object that goes backward comes from another library, and has a method of the same name.
import torch
from engines import Engine
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, accelerator=None):
    engine = Engine()
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=4)
    for batch in loader:
        engine.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
    if accelerator is not None:
        accelerator.backward(model(torch.ones(1, 8)).mean())
