# Right: both players zero behind their own step, and once more what the other one left.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(images, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    forger, expert = nn.Linear(8, 32), nn.Linear(32, 1)
    forger_opt = torch.optim.Adam(forger.parameters(), betas=(0.5, 0.9))
    expert_opt = torch.optim.Adam(expert.parameters(), betas=(0.5, 0.9))
    loader = DataLoader(images, batch_size=16)
    forger, expert, forger_opt, expert_opt, loader = accelerator.prepare(
        forger, expert, forger_opt, expert_opt, loader
    )
    for real in loader:
        with accelerator.accumulate(forger, expert):
            fake = forger(torch.randn(len(real), 8))
            loss = (expert(fake.detach()).mean() - expert(real).mean()) / 2
            accelerator.backward(loss)
            expert_opt.step()
            expert_opt.zero_grad()

            accelerator.backward(-expert(fake).mean())
            forger_opt.step()
            forger_opt.zero_grad()
            expert_opt.zero_grad()
