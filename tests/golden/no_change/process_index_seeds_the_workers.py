# Right: the process index only seeds the noise, the data is not cut up by it.
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

from corpora import NoisySpeech


def train(model, root, epochs=2):
    accelerator = Accelerator()
    generator = torch.Generator().manual_seed(31 + accelerator.process_index)
    dataset = NoisySpeech(root, noise_seed=accelerator.process_index * accelerator.num_processes)
    loader = DataLoader(dataset, batch_size=16, shuffle=True, generator=generator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for _ in range(epochs):
        for noisy, clean in loader:
            accelerator.backward((model(noisy) - clean).abs().mean())
            optimizer.step()
            optimizer.zero_grad()
