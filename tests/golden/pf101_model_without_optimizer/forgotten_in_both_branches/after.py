import argparse

import timm
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR10
from torchvision.transforms import ToTensor


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default="vit_tiny_patch16_224")
    parser.add_argument("--eval_every_epoch", action="store_true")
    parser.add_argument("--epochs", type=int, default=5)
    args = parser.parse_args()

    accelerator = Accelerator()
    model = timm.create_model(args.arch, num_classes=10, img_size=32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05)
    train_loader = DataLoader(CIFAR10("data", transform=ToTensor()), batch_size=128, shuffle=True)

    if args.eval_every_epoch:
        test_loader = DataLoader(CIFAR10("data", train=False, transform=ToTensor()), batch_size=256)
        model, optimizer, train_loader, test_loader = accelerator.prepare(model, optimizer, train_loader, test_loader)
    else:
        test_loader = None
        model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)

    for epoch in range(args.epochs):
        model.train()
        for images, labels in train_loader:
            loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.1)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()

        if test_loader is None:
            continue
        model.eval()
        correct = []
        for images, labels in test_loader:
            with torch.inference_mode():
                correct.append(accelerator.gather_for_metrics(model(images).argmax(1) == labels))
        accelerator.print(f"{epoch}: {torch.cat(correct).float().mean().item():.2%}")


if __name__ == "__main__":
    main()
