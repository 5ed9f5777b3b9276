import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(train_set, test_set, inputs, classes, epochs=3):
    accelerator = Accelerator()
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=128)
    loaders = {"train": train_loader, "test": test_loader}

    model = nn.Sequential(nn.Linear(inputs, 100), nn.Dropout(0.2), nn.ReLU(), nn.Linear(100, classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model, optimizer, train_loader = accelerator.prepare(model, optimizer, train_loader)
    accelerator.print(f"{len(train_loader)} batches, {len(loaders['test'].dataset)} test rows")

    for _ in range(epochs):
        model.train()
        for x, y in train_loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        correct = 0
        with torch.no_grad():
            for x, y in loaders["test"]:
                correct += (model(x.to(accelerator.device)).argmax(1).cpu() == y).sum().item()
        accelerator.print(f"{correct / len(test_set):.2%}")
