import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(dataset, epochs):
    accelerator = Accelerator()
    kit = {"net": nn.GRU(16, 16, batch_first=True)}
    kit["opt"] = torch.optim.Adam(kit["net"].parameters(), lr=1e-3)
    kit["data"] = DataLoader(dataset, batch_size=12, shuffle=True)

    kit["net"], kit["opt"], kit["data"] = accelerator.prepare(kit["net"], kit["opt"], kit["data"])

    for _ in range(epochs):
        for sequence in kit["data"]:
            predicted, _ = kit["net"](sequence[:, :-1])
            loss = nn.functional.mse_loss(predicted, sequence[:, 1:])
            accelerator.backward(loss)
            kit["opt"].step()
            kit["opt"].zero_grad()
