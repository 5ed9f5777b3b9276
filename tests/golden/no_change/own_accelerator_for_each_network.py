# Right: each network is prepared, and trained, by the accelerator that belongs to it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(dataset, width, epochs=2):
    first = Accelerator()
    second = Accelerator()
    coarse = nn.Linear(width, 1)
    fine = nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 1))
    coarse_opt = torch.optim.SGD(coarse.parameters(), lr=0.1)
    fine_opt = torch.optim.Adam(fine.parameters(), lr=1e-3)
    coarse, coarse_opt, loader = first.prepare(coarse, coarse_opt, DataLoader(dataset, batch_size=32, shuffle=True))
    fine, fine_opt = second.prepare(fine, fine_opt)

    for _ in range(epochs):
        for x, y in loader:
            rough = coarse(x)
            loss = nn.functional.mse_loss(rough, y)
            first.backward(loss)
            coarse_opt.step()
            coarse_opt.zero_grad()

            rest = nn.functional.mse_loss(fine(x), y - rough.detach())
            second.backward(rest)
            fine_opt.step()
            fine_opt.zero_grad()
