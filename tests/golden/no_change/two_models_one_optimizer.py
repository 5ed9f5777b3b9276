# Right: both towers are prepared in one call together with the optimizer that owns the parameters of both.
import itertools

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train_dual_encoder(pairs, width=768, shared=256, lr=1e-4, epochs=3):
    accelerator = Accelerator(gradient_accumulation_steps=2)
    image_tower = nn.Sequential(nn.Linear(width, shared), nn.LayerNorm(shared))
    text_tower = nn.Sequential(nn.Linear(width, shared), nn.LayerNorm(shared))
    parameters = itertools.chain(image_tower.parameters(), text_tower.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=lr)
    loader = DataLoader(pairs, batch_size=256, shuffle=True, drop_last=True)

    image_tower, text_tower, optimizer, loader = accelerator.prepare(image_tower, text_tower, optimizer, loader)

    for _ in range(epochs):
        for image, text in loader:
            with accelerator.accumulate(image_tower, text_tower):
                a = nn.functional.normalize(image_tower(image), dim=-1)
                b = nn.functional.normalize(text_tower(text), dim=-1)
                logits = 20 * a @ b.T
                labels = torch.arange(len(a), device=a.device)
                loss = nn.functional.cross_entropy(logits, labels) + nn.functional.cross_entropy(logits.T, labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
