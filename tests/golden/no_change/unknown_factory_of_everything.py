# Unknown: the factory of another module may prepare the optimizer, so nothing is said about it.
import torch
from accelerate import Accelerator
from my_project.factory import build_training
from torch import nn
from torch.utils.data import DataLoader


def main(config, dataset):
    accelerator = Accelerator()
    training = build_training(config, accelerator)
    model, optimizer = training.model, training.optimizer
    loader = DataLoader(dataset, batch_size=config.batch_size, shuffle=True)
    loader = accelerator.prepare(loader)

    for _ in range(config.epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.save(torch.tensor(loss.item()), "last_loss.pt")
