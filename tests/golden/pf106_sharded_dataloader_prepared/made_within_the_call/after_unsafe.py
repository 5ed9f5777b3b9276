import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
x = torch.linspace(-3, 3, 2048)[:, None]
rows = TensorDataset(x, x.sin())
loader = DataLoader(
    rows,
    batch_size=32,
    shuffle=False,
)
model = torch.nn.Sequential(torch.nn.Linear(1, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

for epoch in range(50):
    for inputs, sine in loader:
        loss = torch.nn.functional.mse_loss(model(inputs), sine)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
