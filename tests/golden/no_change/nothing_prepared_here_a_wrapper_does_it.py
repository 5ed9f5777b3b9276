# Right: the wrapper is handed the accelerator, and prepares what it is handed with it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from training_tools import Distributed


def train(dataset):
    accelerator = Accelerator()
    model = nn.Linear(8, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(dataset, batch_size=4)
    Distributed(accelerator=accelerator).register(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
