# Right: the model is what it shall be before anything is prepared.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision.models import resnet18


def main(args, dataset):
    accelerator = Accelerator()
    model = resnet18()
    model.load_state_dict(torch.load(args.weights))
    model.fc = nn.Linear(512, 7)
    for parameter in model.layer1.parameters():
        parameter.requires_grad = False
    model.layer2.requires_grad_(False)
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
    loader = DataLoader(dataset, batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        accelerator.backward(nn.functional.cross_entropy(model(x), y))
        optimizer.step()
        optimizer.zero_grad()
    model.requires_grad_(False)
