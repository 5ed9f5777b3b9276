import torch
from accelerate import Accelerator
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader

BATCH = 24


def make_loader(dataset):
    return DataLoader(dataset, batch_size=BATCH, shuffle=True, num_workers=4, pin_memory=True)


def make_optimisation(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9, nesterov=True)
    schedule = CosineAnnealingLR(optimizer, T_max=len(loader) * epochs)
    return optimizer, schedule


def train_one_epoch(accelerator, model, loader, optimizer, schedule, criterion):
    model.train()
    for images, labels in loader:
        loss = criterion(model(images), labels)
        accelerator.backward(loss)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
    return loss.item()


def main(model, dataset, epochs=30):
    accelerator = Accelerator()
    loader = make_loader(dataset)
    optimizer, schedule = make_optimisation(model, loader, epochs)
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(epochs):
        loss = train_one_epoch(accelerator, model, loader, optimizer, schedule, criterion)
        accelerator.print(epoch, loss)
