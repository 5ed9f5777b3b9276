import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def overfit_one_batch(build_model, dataset, steps=200):
    """Debugging aid: a healthy model brings the loss of one batch to zero."""
    accelerator = Accelerator()
    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8)

    model, optimizer, loader = \
        accelerator.prepare(model, optimizer, loader)

    batch = next(iter(loader))
    model.train()
    for step in range(steps):
        optimizer.zero_grad()
        loss = model(**batch)["loss"]
        accelerator.backward(loss)
        optimizer.step()
        if step % 50 == 0:
            accelerator.print(f"{step:4d} {loss.item():.5f}")
    return loss.item()
