# Right: raw, so it steps with every micro batch of one process; the count of updates is multiplied up again for that.
import math

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def train(model, dataset, epochs=3, accumulation=4):
    accelerator = Accelerator(gradient_accumulation_steps=accumulation)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    updates = epochs * math.ceil(len(loader) / accumulation)
    schedule = get_linear_schedule_with_warmup(optimizer, 100 * accumulation, updates * accumulation)
    for _ in range(epochs):
        for batch in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(**batch).loss)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad()
