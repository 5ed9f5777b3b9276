# Right: the model zeroes only where gradients are synchronised, or there is nothing to gather; a critic clears what the
# loss of the generator leaves in it.
import torch
from accelerate import Accelerator


def once_per_update(model, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).mean())
            optimizer.step()
            if accelerator.sync_gradients:
                model.zero_grad()


def without_a_count(model, loader):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(model(batch).mean())
            optimizer.step()
            model.zero_grad()


def generate(generator, critic, loader):
    accelerator = Accelerator(gradient_accumulation_steps=4)
    one = torch.optim.AdamW(generator.parameters(), lr=1e-3)
    two = torch.optim.AdamW(critic.parameters(), lr=1e-3)
    generator, critic, one, two, loader = accelerator.prepare(generator, critic, one, two, loader)
    for batch in loader:
        with accelerator.accumulate(generator, critic):
            accelerator.backward(critic(generator(batch)).mean())
            one.step()
            one.zero_grad()
        critic.zero_grad()
