"""An assignment inside wrap() would make three new local names, so the call is reported and left alone."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    model = nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8)

    def wrap():
        accelerator.print("preparing")
        accelerator.prepare(model, optimizer, loader)

    wrap()
    for (x,) in loader:
        loss = (model(x) - x).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
