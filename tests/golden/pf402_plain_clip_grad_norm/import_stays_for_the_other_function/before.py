import torch
from accelerate import Accelerator
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader


def warm_up_on_cpu(head, features, labels, steps=100):
    """Plain torch: fits the head alone, before anything is distributed."""
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = cross_entropy(head(features), labels)
        loss.backward()
        clip_grad_norm_(head.parameters(), 10.0)
        optimizer.step()


def finetune(model, dataset, epochs):
    accelerator = Accelerator()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    loader = DataLoader(dataset, batch_size=16, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)

    for _ in range(epochs):
        for x, y in loader:
            loss = cross_entropy(model(x), y)
            accelerator.backward(loss)
            norm = clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"gradient norm {norm:.3f}")
