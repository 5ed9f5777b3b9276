# Right: a schedule that counts epochs stays out of prepare, which would advance it once per process.
import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import MultiStepLR
from torch.utils.data import DataLoader
from torchvision.models import resnet50


def train(dataset, epochs=90):
    accelerator = Accelerator()
    model = resnet50(num_classes=100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = MultiStepLR(optimizer, milestones=[30, 60, 80], gamma=0.1)
    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=8)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for epoch in range(epochs):
        model.train()
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        scheduler.step()
        accelerator.print(f"epoch {epoch}: lr {scheduler.get_last_lr()[0]}")
