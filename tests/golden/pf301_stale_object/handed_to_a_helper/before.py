import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import resnet34


def train_one_epoch(accelerator, model, optimizer, loader):
    model.train()
    total = 0.0
    for images, angles in loader:
        images, angles = images.to(accelerator.device), angles.to(accelerator.device)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(images).squeeze(1), angles)
        accelerator.backward(loss)
        optimizer.step()
        total += loss.item()
    return total / len(loader)


def main(dataset, epochs=5):
    accelerator = Accelerator()
    model = resnet34(num_classes=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    dataloader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, train_dataloader = accelerator.prepare(model, optimizer, dataloader)
    accelerator.print(f"{len(train_dataloader)} batches on each process")

    for epoch in range(epochs):
        loss = train_one_epoch(accelerator, model, optimizer, dataloader)
        accelerator.print(f"epoch {epoch}: {loss:.4f}")
