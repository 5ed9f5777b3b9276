import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def run(pairs, epochs=2):
    accelerator = Accelerator(device_placement=True)
    scorer = nn.Bilinear(300, 300, 1)
    adam = torch.optim.Adam(scorer.parameters(), lr=1e-3)
    loader = DataLoader(pairs, batch_size=512, shuffle=True, drop_last=True)
    scorer, adam, loader = accelerator.prepare(scorer, adam, loader, device_placement=[True, True, False])

    for _ in range(epochs):
        for query, answer in loader:
            query, answer = query.to(accelerator.device), answer.to(accelerator.device)
            positive = scorer(query, answer)
            negative = scorer(query, answer.roll(1, dims=0))
            loss = nn.functional.softplus(negative - positive).mean()
            adam.zero_grad()
            accelerator.backward(loss)
            adam.step()
    return accelerator.unwrap_model(scorer)
