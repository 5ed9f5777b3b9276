import torch
from accelerate import Accelerator
from torch import nn


def fit(feed):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    scorer = nn.Linear(16, 1)
    sgd = torch.optim.SGD(scorer.parameters(), lr=1e-2)
    scorer, sgd, feed = accelerator.prepare(scorer, sgd, feed)
    for features, wanted in feed:
        with accelerator.accumulate(scorer):
            loss = nn.functional.mse_loss(scorer(features), wanted)
            accelerator.backward(loss)
            sgd.step()
            sgd.zero_grad()
