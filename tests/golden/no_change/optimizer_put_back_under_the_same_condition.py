"""What one condition makes, prepares and puts back is never left raw by it."""

import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def steps_of(optimizers, iteration):
    if iteration % 2:
        return [optimizers["generator"]]
    found = [optimizers["score"]]
    if "critic" in optimizers:
        found.append(optimizers["critic"])
    return found


def train(dataset, with_critic):
    accelerator = Accelerator()
    model = nn.ModuleDict({"generator": nn.Linear(4, 4), "score": nn.Linear(4, 1), "critic": nn.Linear(4, 1)})
    generator_optimizer = optim.AdamW(model["generator"].parameters(), lr=1e-4)
    score_optimizer = optim.AdamW(model["score"].parameters(), lr=1e-4)
    optimizers = {"generator": generator_optimizer, "score": score_optimizer}
    objects = [model, generator_optimizer, score_optimizer]
    if with_critic:
        critic_optimizer = optim.AdamW(model["critic"].parameters(), lr=1e-4)
        optimizers["critic"] = critic_optimizer
        objects.append(critic_optimizer)
    objects.append(DataLoader(dataset, batch_size=8))

    prepared = list(accelerator.prepare(*objects))
    model = prepared.pop(0)
    optimizers["generator"] = prepared.pop(0)
    optimizers["score"] = prepared.pop(0)
    if with_critic:
        optimizers["critic"] = prepared.pop(0)
    loader = prepared.pop(0)

    for iteration, batch in enumerate(loader):
        loss = model(batch).mean()
        accelerator.backward(loss)
        for optimizer in steps_of(optimizers, iteration):
            optimizer.step()
        for optimizer in steps_of(optimizers, iteration):
            optimizer.zero_grad()


train(torch.zeros(32, 4), with_critic=torch.cuda.is_available())
