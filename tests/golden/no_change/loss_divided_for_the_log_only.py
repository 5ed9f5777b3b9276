# Right: what is divided by the count goes into the log; the loss goes backward as it is.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(args, dataset):
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    model = nn.Linear(12, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(dataset, batch_size=3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    train_loss = 0.0
    for x, y in loader:
        with accelerator.accumulate(model):
            errors = nn.functional.cross_entropy(model(x), y, reduction="none")
            loss = errors.sum() / x.shape[0]
            train_loss += accelerator.gather(loss).mean().item() / args.gradient_accumulation_steps
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    accelerator.print(train_loss)
