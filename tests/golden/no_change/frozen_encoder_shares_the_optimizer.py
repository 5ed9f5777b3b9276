# Right: the optimizer owns parameters of two models, but the encoder is frozen: only the head has to be prepared.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoModel


def linear_probe(checkpoint, dataset, classes, epochs=3):
    accelerator = Accelerator()
    encoder = AutoModel.from_pretrained(checkpoint)
    encoder.requires_grad_(False)
    encoder.eval()
    head = nn.Linear(encoder.config.hidden_size, classes)
    optimizer = torch.optim.Adam(list(encoder.parameters()) + list(head.parameters()), lr=1e-3)
    loader = DataLoader(dataset, batch_size=64, shuffle=True)

    head, optimizer, loader = accelerator.prepare(head, optimizer, loader)
    encoder.to(accelerator.device)

    for _ in range(epochs):
        for batch in loader:
            with torch.no_grad():
                hidden = encoder(batch["input_ids"]).last_hidden_state[:, 0]
            loss = nn.functional.cross_entropy(head(hidden), batch["label"])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return accelerator.unwrap_model(head)
