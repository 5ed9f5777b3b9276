import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.models import resnet18


def train(data_dir, num_epochs=3, batch_size=64):
    accelerator = Accelerator(mixed_precision="bf16")
    to_tensor = transforms.Compose([transforms.Resize(64), transforms.ToTensor()])
    train_dataloader = DataLoader(
        datasets.ImageFolder(data_dir, transform=to_tensor),
        batch_size=batch_size,
        shuffle=True,
        num_workers=4,
    )

    model = resnet18(num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    lr_scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=0.1, epochs=num_epochs, steps_per_epoch=len(train_dataloader)
    )

    # no particular order is asked for, only the same one on both sides
    model, optimizer, train_dataloader, lr_scheduler = accelerator.prepare(
        model,
        optimizer,
        train_dataloader,
        lr_scheduler,  # steps with every batch
    )

    for epoch in range(num_epochs):
        model.train()
        for images, labels in train_dataloader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            lr_scheduler.step()
        accelerator.print(f"epoch {epoch} done, loss {loss.item():.3f}")


if __name__ == "__main__":
    train("data/flowers")
