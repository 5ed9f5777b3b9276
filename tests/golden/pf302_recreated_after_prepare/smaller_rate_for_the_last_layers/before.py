import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from torchvision.models import resnet50


def finetune(dataset):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = resnet50(num_classes=20)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=24, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    # the paper uses momentum
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
