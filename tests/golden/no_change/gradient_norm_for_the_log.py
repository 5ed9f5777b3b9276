# Right: with an infinite bound nothing is clipped, the call only measures the norm of plain DDP gradients.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(model, dataset, epochs=2, every=50):
    accelerator = Accelerator(log_with="wandb")
    accelerator.init_trackers("norms")
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    step = 0
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            if step % every == 0:
                norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
                accelerator.log({"loss": loss.item(), "norm": norm.item()}, step=step)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
    accelerator.end_training()
