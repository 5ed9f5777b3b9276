import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
torch.manual_seed(4)

signals = torch.randn(256, 1, 128)
spectra = torch.fft.rfft(signals).abs()
loader = DataLoader(TensorDataset(signals, spectra), batch_size=16, shuffle=True)

model = nn.Sequential(nn.Conv1d(1, 8, 9, padding=4), nn.ReLU(), nn.Conv1d(8, 1, 64))
optimizer = torch.optim.Adamax(model.parameters())

criterion = nn.MSELoss()
optimizer, loader, model = accelerator.prepare(optimizer, loader, model)

for epoch in range(5):
    for signal, spectrum in loader:
        optimizer.zero_grad()
        loss = criterion(model(signal), spectrum)
        accelerator.backward(loss)
        optimizer.step()
    accelerator.print(epoch, loss.item())
