import torch
from accelerate import Accelerator


def loss_of(net, batch):
    return net(batch["x"]).sub(batch["y"]).square().mean()


def train(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        loss = loss_of(accelerator.unwrap_model(model), batch)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
