# Right: the flag says whether there is a wrapper, since what it decides is where to look for the same thing.
import torch
from accelerate import Accelerator
from transformers import AutoModel


def train(args, loader):
    accelerator = Accelerator()
    model = AutoModel.from_pretrained(args.name)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for step, batch in enumerate(loader):
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        if step == args.turn:
            if args.is_module:
                model.module.encoder.set_phase("late")
                model.module.set_adapter("late")
            else:
                model.encoder.set_phase("late")
                model.set_adapter("late")
    return model.module.config if args.is_module else model.config
