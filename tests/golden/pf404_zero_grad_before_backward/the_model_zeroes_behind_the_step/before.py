import torch
from accelerate import Accelerator
from torch import nn


def finetune(model, loader, epochs):
    accelerator = Accelerator(gradient_accumulation_steps=8)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for tokens, classes in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(tokens), classes)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                model.zero_grad(set_to_none=True)
