# Right: the tuple rests in one name until the trainer takes it apart.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def build(config, dataset):
    model = nn.Sequential(nn.Linear(config["inputs"], config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    return model, optimizer, DataLoader(dataset, batch_size=config["batch_size"], shuffle=True)


def main(config, dataset):
    accelerator = Accelerator()
    everything = accelerator.prepare(*build(config, dataset))
    accelerator.print(f"prepared {len(everything)} objects")
    model, optimizer, loader = everything

    for _ in range(config["epochs"]):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
