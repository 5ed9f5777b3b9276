# The author wraps the model himself, and still every process needs its own share of the batches.
import torch
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def train(model, dataset, epochs=2):
    accelerator = Accelerator()
    model = model.to(accelerator.device)
    if accelerator.num_processes > 1:
        model = DistributedDataParallel(model, static_graph=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    optimizer = accelerator.prepare(optimizer)

    for _ in range(epochs):
        for x, y in loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
