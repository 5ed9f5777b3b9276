import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def train(pairs, every, epochs=3):
    accelerator = Accelerator(gradient_accumulation_steps=every)
    text_tower = nn.Sequential(nn.Linear(300, 128), nn.Tanh())
    image_tower = nn.Sequential(nn.Linear(512, 128), nn.Tanh())
    parameters = list(text_tower.parameters()) + list(image_tower.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=2e-4)
    loader = DataLoader(pairs, batch_size=64, shuffle=True)
    text_tower, image_tower, optimizer, loader = accelerator.prepare(text_tower, image_tower, optimizer, loader)
    for _ in range(epochs):
        for words, pixels in loader:
            with accelerator.accumulate(text_tower):
                left, right = text_tower(words), image_tower(pixels)
                loss = nn.functional.cosine_embedding_loss(left, right, torch.ones(len(left)))
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
