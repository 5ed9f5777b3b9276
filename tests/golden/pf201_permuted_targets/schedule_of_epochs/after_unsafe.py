"""Once each name has its own result, the schedule of epochs is a prepared one, which is a finding of its own."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(spectra, epochs=30):
    accelerator = Accelerator()
    encoder = nn.Sequential(nn.Linear(512, 64), nn.GELU(), nn.Linear(64, 512))
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=3e-4)
    loader = DataLoader(spectra, batch_size=32, shuffle=True)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)

    encoder, optimizer, loader = accelerator.prepare(encoder, optimizer, loader)

    for epoch in range(epochs):
        for spectrum in loader:
            optimizer.zero_grad()
            accelerator.backward((encoder(spectrum) - spectrum).square().mean())
            optimizer.step()
        cosine.step()
        accelerator.print(epoch, cosine.get_last_lr())
