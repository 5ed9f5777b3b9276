import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import MNIST
from torchvision.transforms import ToTensor

accelerator = Accelerator()

train_dl = DataLoader(MNIST("data", transform=ToTensor()), batch_size=64, shuffle=True)
valid_dl = DataLoader(MNIST("data", train=False, transform=ToTensor()), batch_size=256)
net = nn.Sequential(nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

(
    opt,  # momentum buffers are made on the first step
    net,
    train_dl,
    valid_dl,
) = accelerator.prepare(
    net,
    opt,
    train_dl,
    valid_dl,
)

for epoch in range(2):
    net.train()
    for digits, labels in train_dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(digits), labels)
        accelerator.backward(loss)
        opt.step()

    net.eval()
    right, seen = 0, 0
    for digits, labels in valid_dl:
        with torch.no_grad():
            guesses = net(digits).argmax(dim=1)
        guesses, labels = accelerator.gather_for_metrics((guesses, labels))
        right += (guesses == labels).sum().item()
        seen += len(labels)
    accelerator.print(f"epoch {epoch}: {right / seen:.2%}")
