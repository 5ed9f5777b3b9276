import torch
from accelerate import Accelerator


def train(net, train_dl, epochs):
    accelerator = Accelerator()
    opt = torch.optim.Adam(net.parameters())
    net, opt, train_dl = accelerator.prepare(net, opt, train_dl)
    for _ in range(epochs):
        for batch in train_dl:
            accelerator.backward(net.forward(batch.to(accelerator.device)).mean())
            opt.step()
            opt.zero_grad()
