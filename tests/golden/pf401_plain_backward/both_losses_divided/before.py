import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(dataset, every):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    scorer = nn.Linear(16, 1)
    optimizer = torch.optim.Adam(scorer.parameters(), lr=1e-3)
    loader = DataLoader(dataset, batch_size=8, shuffle=True)
    scorer, optimizer, loader = accelerator.prepare(scorer, optimizer, loader)
    for features, wanted in loader:
        with accelerator.accumulate(scorer):
            guess = scorer(features)
            far = nn.functional.mse_loss(guess, wanted) / every
            off = nn.functional.l1_loss(guess, wanted) / every
            (far + off).backward()
            optimizer.step()
            optimizer.zero_grad()
