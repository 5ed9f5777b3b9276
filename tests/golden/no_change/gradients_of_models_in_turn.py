# Right: the loop takes the gradients of one prepared model after the other, and the first is looked at by its place.
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def sensitivities(dataset, width):
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(dataset, batch_size=32))
    nets = accelerator.prepare(nn.Linear(width, 1), nn.Bilinear(width, width, 1))
    for net in nets:
        for x, y in loader:
            accelerator.backward((net(x) - y).square().mean())
    return [weight.grad for weight in nets[0].parameters()]
