import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def pretrain_autoencoder(images, epochs=3):
    accelerator = Accelerator()
    autoencoder = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1),
    )
    optimizer = torch.optim.Adam(autoencoder.parameters(), lr=2e-3)
    loader = DataLoader(images, batch_size=64, shuffle=True)

    autoencoder, optimizer, loader = accelerator.prepare(autoencoder, optimizer, loader)

    for _ in range(epochs):
        for batch in loader:
            loss = nn.functional.mse_loss(autoencoder(batch), batch)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.save_model(autoencoder, "autoencoder")
