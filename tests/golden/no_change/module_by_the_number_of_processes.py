# Right: how many processes run decides whether there is a wrapper.
import torch
from accelerate import Accelerator
from transformers import AutoModel


def train(name, loader):
    accelerator = Accelerator()
    model = AutoModel.from_pretrained(name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        width = model.module.config.hidden_size if accelerator.num_processes > 1 else model.config.hidden_size
        accelerator.print(width)
    if accelerator.distributed_type == "NO":
        model.push_to_hub("me/mine")
