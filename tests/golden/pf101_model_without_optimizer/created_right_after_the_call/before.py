import torch
from accelerate import Accelerator
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader
from torchvision.datasets import FashionMNIST
from torchvision.transforms import ToTensor

NUM_EPOCHS = 10

accelerator = Accelerator()
train_set = FashionMNIST("data", train=True, transform=ToTensor(), download=accelerator.is_main_process)
train_loader = DataLoader(train_set, batch_size=128, shuffle=True)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, stride=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.LazyLinear(10),
)
model(torch.zeros(1, 1, 28, 28))

# wraps the network for the processes at hand
model, train_loader = accelerator.prepare(model, train_loader)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scheduler = CosineAnnealingLR(optimizer, T_max=NUM_EPOCHS)  # once per epoch

for epoch in range(NUM_EPOCHS):
    model.train()
    for images, labels in train_loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    scheduler.step()
    accelerator.print(f"{epoch}: {loss.item():.4f}")
