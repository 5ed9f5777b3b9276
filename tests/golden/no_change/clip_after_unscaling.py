# Right: the gradients are unscaled through the accelerator first, then torch clips each part by its own bound.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Captioner(nn.Module):
    def __init__(self, features, vocabulary):
        super().__init__()
        self.adapter = nn.Linear(features, 256)
        self.decoder = nn.Linear(256, vocabulary)

    def forward(self, x):
        return self.decoder(torch.relu(self.adapter(x)))


def train(dataset, features, vocabulary, epochs=3):
    accelerator = Accelerator(mixed_precision="fp16")
    captioner = Captioner(features, vocabulary)
    slow, fast = list(captioner.decoder.parameters()), list(captioner.adapter.parameters())
    optimizer = torch.optim.AdamW([{"params": slow, "lr": 1e-5}, {"params": fast, "lr": 1e-3}])
    loader = DataLoader(dataset, batch_size=64, shuffle=True)
    captioner, optimizer, loader = accelerator.prepare(captioner, optimizer, loader)

    for _ in range(epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(captioner(x), y)
            accelerator.backward(loss)
            accelerator.unscale_gradients(optimizer)
            nn.utils.clip_grad_norm_(slow, 0.1)
            nn.utils.clip_grad_norm_(fast, 1.0)
            optimizer.step()
            optimizer.zero_grad()
