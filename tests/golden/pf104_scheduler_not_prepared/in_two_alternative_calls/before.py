# Two calls take the optimizer, one for each kind of run: the schedule joins both.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def train(model, train_set, eval_set=None, epochs=1):
    accelerator = Accelerator()
    loader = DataLoader(train_set, batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    schedule = get_linear_schedule_with_warmup(optimizer, 0, epochs * len(loader))
    if eval_set is not None:
        eval_loader = DataLoader(eval_set, batch_size=8)
        model, optimizer, loader, eval_loader = accelerator.prepare(model, optimizer, loader, eval_loader)
    else:
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
