# Right: who catches the AttributeError has thought of the wrapper.
import torch
from accelerate import Accelerator
from transformers import AutoModel


def train(name, loader):
    accelerator = Accelerator()
    model = AutoModel.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    try:
        width = model.config.hidden_size
    except AttributeError:
        width = model.module.config.hidden_size
    accelerator.print(width)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
