# Right: the loader is built anew for each stage and prepared again before it is used.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder


def loader_for(folder, size, batch_size):
    steps = [transforms.RandomResizedCrop(size), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
    dataset = ImageFolder(folder, transforms.Compose(steps))
    return DataLoader(dataset, batch_size=batch_size, shuffle=True, num_workers=4)


def progressive(model, folder):
    accelerator = Accelerator()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    loader = loader_for(folder, 128, 128)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for size, batch_size in ((128, 128), (160, 96), (192, 64)):
        if size > 128:
            loader = loader_for(folder, size, batch_size)
            loader = accelerator.prepare(loader)
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"{size}: {loss.item():.3f}")
