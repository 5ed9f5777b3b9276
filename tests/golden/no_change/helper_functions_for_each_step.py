# Right: building, preparing, training and saving are functions of their own, and prepared objects are handed on.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def create(config):
    model = nn.GRU(config["bands"], config["hidden"], batch_first=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    return model, optimizer


def prepare_all(accelerator, config, dataset):
    model, optimizer = create(config)
    loader = DataLoader(dataset, batch_size=config["batch_size"], shuffle=True)
    return accelerator.prepare(model, optimizer, loader)


def train_epoch(accelerator, model, optimizer, loader):
    model.train()
    for x, y in loader:
        output, _ = model(x)
        loss = nn.functional.mse_loss(output[:, -1], y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


def main(config, dataset):
    accelerator = Accelerator()
    model, optimizer, loader = prepare_all(accelerator, config, dataset)
    for epoch in range(config["epochs"]):
        accelerator.print(f"epoch {epoch}: {train_epoch(accelerator, model, optimizer, loader):.4f}")
    accelerator.save_state(config["folder"])
