# Right: each block names the model that it trains; the other one only judges there.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(images, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    forger, expert = nn.Linear(8, 32), nn.Linear(32, 1)
    forger_opt, expert_opt = torch.optim.Adam(forger.parameters()), torch.optim.Adam(expert.parameters())
    loader = DataLoader(images, batch_size=16)
    forger, expert, forger_opt, expert_opt, loader = accelerator.prepare(
        forger, expert, forger_opt, expert_opt, loader
    )
    for real in loader:
        with accelerator.accumulate(expert):
            fake = forger(torch.randn(len(real), 8)).detach()
            accelerator.backward(expert(fake).mean() - expert(real).mean())
            expert_opt.step()
            expert_opt.zero_grad()
        with accelerator.accumulate(forger):
            accelerator.backward(-expert(forger(torch.randn(len(real), 8))).mean())
            forger_opt.step()
            forger_opt.zero_grad()
