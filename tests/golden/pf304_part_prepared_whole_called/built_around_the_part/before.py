import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel


class Tagger(nn.Module):
    def __init__(self, body, tags):
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.config.hidden_size, tags)

    def forward(self, **batch):
        return self.head(self.body(**batch).last_hidden_state)


def train(dataset, name):
    accelerator = Accelerator()
    backbone = AutoModel.from_pretrained(name)
    tagger = Tagger(backbone, 9)
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=3e-5)
    loader = DataLoader(dataset, batch_size=16)
    backbone, optimizer, loader = accelerator.prepare(backbone, optimizer, loader)
    for batch in loader:
        tags = batch.pop("tags")
        accelerator.backward(nn.functional.cross_entropy(tagger(**batch).flatten(0, 1), tags.flatten()))
        optimizer.step()
        optimizer.zero_grad()
