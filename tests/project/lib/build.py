"""Builds what a script trains, and trains one epoch."""

import torch


def make_model(width):
    return torch.nn.Linear(width, 1)


def make_optimizer(model, lr=1e-3):
    trainable = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return torch.optim.AdamW(trainable, lr=lr)


def prepare_all(accelerator, *objects):
    return accelerator.prepare(*objects)


def train_one_epoch(model, loader, optimizer, accelerator):
    for batch in loader:
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
