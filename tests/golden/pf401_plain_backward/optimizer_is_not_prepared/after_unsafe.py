import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(data, make_optimizer):
    accelerator = Accelerator(mixed_precision="fp16" if torch.cuda.is_available() else "no")
    net = nn.Linear(4, 1)
    loader = DataLoader(data, batch_size=8, shuffle=True)
    net, loader = accelerator.prepare(net, loader)
    if make_optimizer:
        optimizer = optim.Adam(net.parameters(), lr=1e-2)
    else:
        optimizer = optim.SGD(net.parameters(), lr=1e-2)
    for batch in loader:
        loss = net(batch).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


if __name__ == "__main__":
    fit(torch.rand(32, 4), make_optimizer=True)
