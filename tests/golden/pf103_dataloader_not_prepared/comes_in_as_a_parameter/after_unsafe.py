import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def fit(net: torch.nn.Module, train_loader: DataLoader, *, lr: float = 1e-3, epochs: int = 1) -> None:
    accelerator = Accelerator()
    optim = torch.optim.AdamW(net.parameters(), lr=lr)
    net, optim, train_loader = accelerator.prepare(net, optim, train_loader)
    for epoch in range(epochs):
        for inputs, targets in train_loader:
            inputs = inputs.to(accelerator.device)
            loss = (net(inputs) - targets.to(accelerator.device)).square().mean()
            accelerator.backward(loss)
            optim.step()
            optim.zero_grad()
        accelerator.print(f"{epoch}: {loss.item():.4f}")
