"""accelerator.backward takes no gradient, so there is nothing to rewrite this to."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    weights = torch.rand(200)
    x = torch.randn(200, 6)
    loader = DataLoader(TensorDataset(x, x.square(), weights), batch_size=20)
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for inputs, squares, weight in loader:
        errors = (model(inputs) - squares).square().mean(dim=1)
        errors.backward(weight)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    main()
