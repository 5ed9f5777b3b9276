"""Both are loaders, so nothing shows which side is meant: a finding for a person, without a fix."""
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, random_split


def train(dataset, epochs=5):
    accelerator = Accelerator()
    train_part, eval_part = random_split(dataset, [0.9, 0.1])
    train_dataloader = DataLoader(train_part, batch_size=16, shuffle=True)
    eval_dataloader = DataLoader(eval_part, batch_size=16)
    model = nn.Sequential(nn.Linear(30, 15), nn.ReLU(), nn.Linear(15, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    model, optimizer, eval_dataloader, train_dataloader = accelerator.prepare(
        model, optimizer, train_dataloader, eval_dataloader
    )

    for epoch in range(epochs):
        model.train()
        for x, y in train_dataloader:
            loss = nn.functional.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()

        model.eval()
        with torch.no_grad():
            hits = [accelerator.gather_for_metrics(model(x).argmax(1) == y) for x, y in eval_dataloader]
        accelerator.print(f"epoch {epoch}: {torch.cat(hits).float().mean():.3f}")
