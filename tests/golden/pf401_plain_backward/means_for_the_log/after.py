import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


def fit(sentences, args, report):
    accelerator = Accelerator(gradient_accumulation_steps=args.update_every)
    tagger = nn.Linear(300, 17)
    optimizer = torch.optim.SGD(tagger.parameters(), lr=args.lr)
    loader = DataLoader(sentences, batch_size=8, shuffle=True)
    tagger, optimizer, loader = accelerator.prepare(tagger, optimizer, loader)
    for epoch in range(args.epochs):
        total = 0.0
        for words, tags in loader:
            with accelerator.accumulate(tagger):
                loss = nn.functional.cross_entropy(tagger(words), tags, reduction="sum") / len(words)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            total += loss.item()
        with report.div():
            accelerator.print(epoch, total / len(loader))
