# Unclear: a length from the size of the data may or may not be meant for one process; left to the author.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset, epochs=4, batch_size=16):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    world = int(accelerator.state.num_processes)
    schedule = torch.optim.lr_scheduler.PolynomialLR(optimizer, total_iters=epochs * len(dataset) // (batch_size * world))
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for batch in loader:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
