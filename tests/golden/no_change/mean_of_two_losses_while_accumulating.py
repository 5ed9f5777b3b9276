# Right: 2 is the number of losses here, and by chance the number of micro batches.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = nn.Linear(12, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for left, right, y in loader:
        with accelerator.accumulate(model):
            first = nn.functional.cross_entropy(model(left), y)
            second = nn.functional.cross_entropy(model(right), y)
            both = first + second
            loss = both / 2
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
