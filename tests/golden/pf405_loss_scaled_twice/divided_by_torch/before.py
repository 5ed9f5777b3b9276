import torch
from accelerate import Accelerator
from torch import nn


def pretrain(model, batches, criterion, micro_batches):
    accelerator = Accelerator(gradient_accumulation_steps=micro_batches)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    model, optimizer, batches = accelerator.prepare(model, optimizer, batches)
    for masked, whole in batches:
        with accelerator.accumulate(model):
            loss = torch.div(criterion(model(masked), whole), micro_batches)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


def pretrain_both(first, second, batches, criterion, micro_batches):
    accelerator = Accelerator(gradient_accumulation_steps=micro_batches)
    optimizer = torch.optim.AdamW([*first.parameters(), *second.parameters()], lr=3e-4)
    first, second, optimizer, batches = accelerator.prepare(first, second, optimizer, batches)
    for masked, whole in batches:
        with accelerator.accumulate(first, second):
            loss = criterion(second(first(masked)), whole)
            loss = torch.true_divide(loss, other=micro_batches)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
