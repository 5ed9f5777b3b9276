# Unclear: the optimizer is prepared on one path and not on the other, which the author may want for debugging.
import argparse

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--debug", action="store_true", help="no wrapping at all")
    args = parser.parse_args()

    accelerator = Accelerator()
    x = torch.randn(90, 4)
    loader = DataLoader(TensorDataset(x, x.exp().sum(dim=1, keepdim=True)), batch_size=9)
    model = nn.Sequential(nn.Linear(4, 30), nn.Softplus(), nn.Linear(30, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    if not args.debug:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(4):
        for inputs, target in loader:
            loss = nn.functional.mse_loss(model(inputs), target)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
