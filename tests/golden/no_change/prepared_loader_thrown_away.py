# Right: each process is given its own data by hand. The loader goes through prepare for DeepSpeed, which wants to know the
# size of its batches, and what comes back is not wanted.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, my_share, accelerator: Accelerator):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(my_share, batch_size=4)
    _, model, optimizer = accelerator.prepare(loader, model, optimizer)
    for batch in loader:
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
