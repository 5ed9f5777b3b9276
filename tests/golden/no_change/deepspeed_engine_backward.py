# Right: the engine of DeepSpeed has its own backward and step; the accelerator only tells the device here.
import deepspeed
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train_with_engine(model, dataset, config, epochs=1):
    accelerator = Accelerator()
    engine, _, loader, _ = deepspeed.initialize(
        model=model, model_parameters=model.parameters(), training_data=dataset, config=config
    )
    for _ in range(epochs):
        for x, y in loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            loss = nn.functional.cross_entropy(engine(x), y)
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint("engine")


def train_with_accelerate(model, dataset, epochs=1):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
