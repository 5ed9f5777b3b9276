# The targets take the list apart as a whole: who wants it flat has to say so there too.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset):
    accelerator = Accelerator()
    decay = torch.optim.SGD(model.body.parameters(), lr=0.1, weight_decay=1e-4)
    plain = torch.optim.SGD(model.head.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizers, loader = accelerator.prepare(model, [decay, plain], loader)
    for x, y in loader:
        accelerator.backward((model(x) - y).square().mean())
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
