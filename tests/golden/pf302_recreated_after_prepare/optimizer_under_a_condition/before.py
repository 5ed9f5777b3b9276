import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

accelerator = Accelerator()
net = nn.LSTM(6, 6)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
data = DataLoader(torch.randn(60, 9, 6), batch_size=6)
net, opt, data = accelerator.prepare(net, opt, data)

for epoch in range(10):
    if epoch == 5:
        opt = torch.optim.SGD(net.parameters(), lr=1e-4)
    for batch in data:
        accelerator.backward(net(batch)[0].square().mean())
        opt.step()
        opt.zero_grad()
