# Unknown: the wrapper of a library takes the accelerator, prepares inside and hands back what it likes.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader
from trl_like_library import PolicyWrapper, RolloutBuffer


def main(prompts, name):
    accelerator = Accelerator()
    policy = PolicyWrapper.from_pretrained(name, accelerator=accelerator)
    optimizer = torch.optim.AdamW(policy.trainable_parameters(), lr=1e-6)
    buffer = RolloutBuffer(policy, optimizer=optimizer, accelerator=accelerator)
    loader = accelerator.prepare(DataLoader(prompts, batch_size=8, shuffle=True))

    for batch in loader:
        buffer.collect(batch)
        loss = policy.loss(buffer.sample())
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
