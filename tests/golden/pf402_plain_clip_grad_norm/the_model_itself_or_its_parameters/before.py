import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
layers = nn.Linear(8, 1)
optimizer = torch.optim.AdamW(layers.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), batch_size=4)
layers, optimizer, loader = accelerator.prepare(layers, optimizer, loader)
for x, y in loader:
    accelerator.backward(nn.functional.mse_loss(layers(x), y))
    trained = layers if isinstance(layers, list) else layers.parameters()
    torch.nn.utils.clip_grad_norm_(trained, 1.0)
    optimizer.step()
    optimizer.zero_grad()
