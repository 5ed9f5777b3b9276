import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Vae(nn.Module):
    def __init__(self, width, code):
        super().__init__()
        self.encoder = nn.Linear(width, 2 * code)
        self.decoder = nn.Linear(code, width)

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(code), mean, log_variance


accelerator = Accelerator()
curves = torch.rand(300, 50).cumsum(dim=1)
loader = DataLoader(curves, batch_size=30, shuffle=True)
vae = Vae(width=50, code=4)
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
vae, optimizer, loader = accelerator.prepare(vae, optimizer, loader)

for epoch in range(10):
    for curve in loader:
        restored, mean, log_variance = vae(curve)
        optimizer.zero_grad()
        (
            nn.functional.mse_loss(restored, curve)
            # the distance to a standard normal
            - 0.005 * (1 + log_variance - mean.square() - log_variance.exp()).mean()
        ).backward()
        optimizer.step()
