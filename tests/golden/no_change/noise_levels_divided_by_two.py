# Right: the weights that the loss is multiplied by are divided by 2, the loss is not. That steps are counted by 2, too,
# has nothing to do with it.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def draw_levels(count):
    ratio = torch.rand(count) * 20 - 10
    return torch.exp(-ratio / 2)


def train(args, dataset):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    model = nn.Linear(12, 12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, x in enumerate(loader):
        with accelerator.accumulate(model):
            levels = draw_levels(x.shape[0])
            weights = (1 + levels**2) / levels**2
            errors = (model(x) - x) ** 2
            loss = (weights * errors.mean(dim=1)).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        if step % 2 == 0:
            accelerator.print(step)
