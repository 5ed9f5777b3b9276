# Not ours: prepare() of a data module has nothing to do with the accelerator in the same file.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ToyDataModule:
    """Follows the hooks of a LightningDataModule."""

    def __init__(self, size, batch_size):
        self.size, self.batch_size = size, batch_size
        self.train_set = None

    def prepare(self, stage="fit"):
        x = torch.randn(self.size, 3)
        self.train_set = TensorDataset(x, x.mean(dim=1, keepdim=True))
        return self

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)


def main():
    accelerator = Accelerator()
    data = ToyDataModule(1000, 50)
    data.prepare("fit")
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, data.train_dataloader())

    for _ in range(3):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    main()
