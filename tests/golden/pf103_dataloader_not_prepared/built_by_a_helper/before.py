import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms


def get_loaders(root, batch_size):
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.13,), (0.31,))])
    train = datasets.MNIST(root, train=True, download=True, transform=transform)
    test = datasets.MNIST(root, train=False, download=True, transform=transform)
    train_loader = DataLoader(train, batch_size=batch_size, shuffle=True)
    test_loader = DataLoader(test, batch_size=2 * batch_size)
    return train_loader, test_loader


def accuracy(accelerator, model, loader):
    model.eval()
    right = total = 0
    with torch.no_grad():
        for x, y in loader:
            guess, truth = accelerator.gather_for_metrics((model(x).argmax(dim=1), y))
            right += (guess == truth).sum().item()
            total += truth.numel()
    return right / total


def main(root="data", epochs=5, batch_size=64):
    accelerator = Accelerator()
    train_loader, test_loader = get_loaders(root, batch_size)
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    model, opt, test_loader = accelerator.prepare(model, opt, test_loader)

    for epoch in range(epochs):
        model.train()
        for x, y in train_loader:
            x = x.to(accelerator.device)
            y = y.to(accelerator.device)
            opt.zero_grad()
            accelerator.backward(nn.functional.cross_entropy(model(x), y))
            opt.step()
        accelerator.print(epoch, accuracy(accelerator, model, test_loader))


if __name__ == "__main__":
    main()
