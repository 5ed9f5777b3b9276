# Each process takes its own slice, and prepare takes a share of that; which of the two goes is for a person to say.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, Subset


def train(model, dataset, epochs=3):
    accelerator = Accelerator()
    mine = Subset(dataset, range(accelerator.process_index, len(dataset), accelerator.num_processes))
    loader = DataLoader(mine, batch_size=8, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(batch).mean())
            optimizer.step()
            optimizer.zero_grad()
