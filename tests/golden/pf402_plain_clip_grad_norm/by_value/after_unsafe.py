import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
series = torch.randn(500, 30, 4).cumsum(dim=1)
loader = DataLoader(TensorDataset(series[:, :-1], series[:, 1:]), batch_size=25, shuffle=True)
rnn = nn.RNN(4, 4, batch_first=True, num_layers=2)
optimizer = torch.optim.Adam(rnn.parameters(), lr=1e-3)
rnn, optimizer, loader = accelerator.prepare(rnn, optimizer, loader)

for epoch in range(3):
    for past, future in loader:
        predicted, _ = rnn(past)
        loss = nn.functional.mse_loss(predicted, future)
        optimizer.zero_grad()
        accelerator.backward(loss)
        accelerator.clip_grad_value_(rnn.parameters(), clip_value=0.1)
        optimizer.step()
    accelerator.print(f"epoch {epoch}: {loss.item():.4f}")
