import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 1)
        self.temperature = nn.Parameter(torch.ones(1))

    def forward(self, inputs):
        return self.layer(inputs) / self.temperature


def fit(data, epochs):
    accelerator = Accelerator()
    net = Scaled()
    optimizer = optim.Adam(net.parameters(), lr=1e-2)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    optimizer, net, loader = accelerator.prepare(net, optimizer, loader)
    for epoch in range(epochs):
        for batch in loader:
            loss = net(batch).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(epoch, net.temperature)


if __name__ == "__main__":
    fit(torch.rand(32, 4), epochs=2)
