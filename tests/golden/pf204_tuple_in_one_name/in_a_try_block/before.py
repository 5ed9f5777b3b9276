import sys

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def main(dataset, config):
    accelerator = Accelerator(mixed_precision=config.get("precision", "no"))
    net = nn.LSTM(config["inputs"], config["hidden"], batch_first=True, proj_size=config["outputs"])
    optim = torch.optim.Adam(net.parameters(), lr=config["lr"])
    loader = DataLoader(dataset, batch_size=config["batch_size"], shuffle=True)

    try:
        net = accelerator.prepare(net, optim, loader)
    except RuntimeError as error:
        accelerator.print(f"out of memory? {error}", file=sys.stderr)
        raise

    net.train()
    for _ in range(config["epochs"]):
        for series, future in loader:
            optim.zero_grad()
            predicted, _ = net(series)
            loss = nn.functional.mse_loss(predicted[:, -1], future)
            accelerator.backward(loss)
            optim.step()
