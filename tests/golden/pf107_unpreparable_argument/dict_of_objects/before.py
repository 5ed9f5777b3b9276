import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader


def train(model, dataset):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    parts = accelerator.prepare({"model": model, "optimizer": optimizer, "loader": loader})
    for batch in parts["loader"]:
        accelerator.backward(parts["model"](batch).mean())
        parts["optimizer"].step()
        parts["optimizer"].zero_grad()
