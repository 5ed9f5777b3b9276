import torch
from accelerate import Accelerator
from torch import nn
from transformers import CLIPTextModel


def train(name, loader, vocabulary, epochs):
    accelerator = Accelerator()
    encoder = CLIPTextModel.from_pretrained(name)
    head = nn.Linear(encoder.config.hidden_size, vocabulary)
    optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=1e-5)
    encoder, head, optimizer, loader = accelerator.prepare(encoder, head, optimizer, loader)
    for _ in range(epochs):
        encoder.train()
        encoder.text_model.embeddings.requires_grad_(True)
        for tokens, wanted in loader:
            scores = head(encoder(tokens)[0])
            accelerator.backward(nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten()))
            optimizer.step()
            optimizer.zero_grad()
    accelerator.print(head.out_features)
