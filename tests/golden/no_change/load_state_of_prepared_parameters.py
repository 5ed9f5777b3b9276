# Right: the accelerator comes from a caller, who may have prepared the model with it.
import torch
from accelerate import Accelerator, skip_first_batches


def continue_training(accelerator: Accelerator, model, optimizer, loader, critic, path, skip):
    accelerator.load_state(path)
    critic = accelerator.prepare(critic)
    for batch in skip_first_batches(loader, skip):
        accelerator.backward(critic(model(batch)).mean())
        optimizer.step()
        optimizer.zero_grad()
