import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

accelerator = Accelerator(gradient_accumulation_steps=4, log_with="tensorboard")


def main(dataset):
    model = nn.Linear(20, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for number, (x, y) in enumerate(loader):
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        norms = [p.grad.norm().item() for p in model.parameters() if p.grad is not None]
        accelerator.log({"largest": max(norms, default=0.0)}, step=number)
