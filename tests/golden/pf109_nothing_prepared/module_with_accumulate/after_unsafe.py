import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.models import mobilenet_v2

acc = Accelerator(gradient_accumulation_steps=4)
images = datasets.CIFAR10("data", transform=transforms.ToTensor())
net = mobilenet_v2(num_classes=10)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
batches = DataLoader(images, batch_size=64)
net, opt, batches = acc.prepare(net, opt, batches)
criterion = nn.CrossEntropyLoss()

for step, (x, y) in enumerate(batches):
    with acc.accumulate(net):
        acc.backward(criterion(net(x), y))
        opt.step()
        opt.zero_grad()
acc.wait_for_everyone()
