import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 4
accelerator = Accelerator()
x = torch.rand(4096, 8)
train_loader = DataLoader(TensorDataset(x, x.prod(dim=1)), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(8, 128), nn.GELU(), nn.Linear(128, 1), nn.Flatten(0))
opt = torch.optim.AdamW(model.parameters())
one_cycle = torch.optim.lr_scheduler.OneCycleLR(
    opt,
    max_lr=3e-3,
    epochs=EPOCHS,
    steps_per_epoch=len(train_loader),
)
model, opt, train_loader = accelerator.prepare(
    model,
    opt,
    train_loader,
)

for epoch in range(EPOCHS):
    for inputs, product in train_loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(inputs), product)
        accelerator.backward(loss)
        opt.step()
        one_cycle.step()
    accelerator.print(f"epoch {epoch}: {loss.item():.5f}")
