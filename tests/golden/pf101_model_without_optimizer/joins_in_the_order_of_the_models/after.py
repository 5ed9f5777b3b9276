import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset):
    accelerator = Accelerator()
    sender, receiver = nn.Linear(16, 4), nn.Linear(4, 16)
    sending = torch.optim.Adam(sender.parameters(), lr=1e-3)
    receiving = torch.optim.Adam(receiver.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    sender, receiver, sending, receiving, loader = accelerator.prepare(sender, receiver, sending, receiving, loader)
    for features in loader:
        accelerator.backward(nn.functional.mse_loss(receiver(sender(features)), features))
        sending.step()
        receiving.step()
        sending.zero_grad()
        receiving.zero_grad()
