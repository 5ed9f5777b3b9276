import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision.models import resnet34


def main(train_set, val_set, epochs=20, batch_size=64):
    accelerator = Accelerator()
    model = resnet34(num_classes=100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    train_sampler = DistributedSampler(
        train_set, num_replicas=accelerator.num_processes, rank=accelerator.process_index, shuffle=True
    )
    train_loader = DataLoader(train_set, batch_size=batch_size, sampler=train_sampler, num_workers=4)
    val_loader = DataLoader(val_set, batch_size=batch_size)
    model, optimizer, train_loader, val_loader = accelerator.prepare(model, optimizer, train_loader, val_loader)

    for epoch in range(epochs):
        train_sampler.set_epoch(epoch)
        model.train()
        for images, labels in train_loader:
            optimizer.zero_grad()
            accelerator.backward(nn.functional.cross_entropy(model(images), labels))
            optimizer.step()

        model.eval()
        hits = []
        for images, labels in val_loader:
            with torch.no_grad():
                hits.append(accelerator.gather_for_metrics(model(images).argmax(dim=1) == labels))
        accelerator.print(epoch, torch.cat(hits).float().mean().item())
