import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import resnet18


def main(train_set, epochs=90):
    accelerator = Accelerator(mixed_precision="bf16")
    model = resnet18(num_classes=1000)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)
    loader = DataLoader(train_set, batch_size=256, shuffle=True, num_workers=8)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

    for epoch in range(epochs):
        model.train()
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()
        accelerator.print(f"epoch {epoch}: lr {optimizer.param_groups[0]['lr']}")
