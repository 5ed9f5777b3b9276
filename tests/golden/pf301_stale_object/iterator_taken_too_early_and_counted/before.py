import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset, every=50):
    accelerator = Accelerator()
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batches = iter(loader)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(batches):
        loss = model(batch).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % every == 0:
            accelerator.print(step, loss.item())
