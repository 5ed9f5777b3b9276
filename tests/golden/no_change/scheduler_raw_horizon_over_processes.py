# Right: the raw schedule counts its own process's share of the batches, which is worked out by hand.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from transformers import get_linear_schedule_with_warmup


def train(model, dataset, epochs=4):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    steps = epochs * len(loader) // accelerator.num_processes
    schedule = get_linear_schedule_with_warmup(optimizer, num_warmup_steps=steps // 10, num_training_steps=steps)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
