import torch
from accelerate import Accelerator


def train(model, teacher_ema, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    prepared = accelerator.prepare(model, optimizer, loader)
    net, optimizer, loader = prepared
    for batch in loader:
        accelerator.backward(net(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        teacher_ema.update(accelerator.unwrap_model(net))
