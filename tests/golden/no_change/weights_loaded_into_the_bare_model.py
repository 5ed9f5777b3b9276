# Right: the bare model has the keys of the file, whatever is around it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(args, dataset):
    accelerator = Accelerator()
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(dataset, batch_size=16)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    accelerator.unwrap_model(model).load_state_dict(torch.load(args.start))
    for x, y in loader:
        accelerator.backward(nn.functional.cross_entropy(model(x), y))
        optimizer.step()
        optimizer.zero_grad()
