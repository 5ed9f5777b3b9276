# Right: one model and one optimizer for each key, prepared as a pair in a loop and put back under the key.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader

QUANTILES = (0.1, 0.5, 0.9)


def pinball(predicted, target, q):
    error = target - predicted
    return torch.maximum(q * error, (q - 1) * error).mean()


def train(dataset, width, epochs=4):
    accelerator = Accelerator()
    loader = accelerator.prepare(DataLoader(dataset, batch_size=64, shuffle=True))
    models = {q: nn.Sequential(nn.Linear(width, 32), nn.ReLU(), nn.Linear(32, 1), nn.Flatten(0)) for q in QUANTILES}
    optimizers = {q: torch.optim.Adam(models[q].parameters(), lr=1e-3) for q in QUANTILES}
    for q in QUANTILES:
        models[q], optimizers[q] = accelerator.prepare(models[q], optimizers[q])

    for _ in range(epochs):
        for x, y in loader:
            for q in QUANTILES:
                loss = pinball(models[q](x), y, q)
                accelerator.backward(loss)
                optimizers[q].step()
                optimizers[q].zero_grad()
    return {q: accelerator.unwrap_model(model) for q, model in models.items()}
