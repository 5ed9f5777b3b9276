import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def finetune(encoder, head, dataset, limit=1.0):
    accelerator = Accelerator(mixed_precision="fp16")
    model = nn.Sequential(encoder, head)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for inputs, classes in loader:
        loss = nn.functional.cross_entropy(model(inputs), classes)
        accelerator.backward(loss)
        nn.utils.clip_grad_norm_(max_norm=limit, parameters=model.parameters())
        optimizer.step()
        optimizer.zero_grad()
