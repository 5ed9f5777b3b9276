# Right: what is divided in place is no loss, or not by the number of micro batches.
import torch
from accelerate import Accelerator


def train(model, loader, criterion):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for images, labels in loader:
        with accelerator.accumulate(model):
            images.div_(255)
            weights = torch.div(labels, labels.sum())
            loss = criterion(model(images), labels)
            loss.div_(len(loader))
            accelerator.backward(torch.div((loss * weights).sum(), 3))
            optimizer.step()
            optimizer.zero_grad()
