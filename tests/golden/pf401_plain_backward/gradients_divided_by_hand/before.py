import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Tagging:
    def __init__(self, args):
        self.update_every = args.update_every
        self.accelerator = Accelerator(gradient_accumulation_steps=args.update_every)

    def fit(self, sentences, lr):
        tagger = nn.Linear(300, 17)
        optimizer = torch.optim.SGD(tagger.parameters(), lr=lr)
        loader = DataLoader(sentences, batch_size=8, shuffle=True)
        tagger, optimizer, loader = self.accelerator.prepare(tagger, optimizer, loader)
        for words, tags in loader:
            with self.accelerator.accumulate(tagger):
                loss = nn.functional.cross_entropy(tagger(words), tags)
                loss.backward()
                if self.accelerator.sync_gradients:
                    for parameter in tagger.parameters():
                        parameter.grad /= self.update_every
                optimizer.step()
                optimizer.zero_grad()
