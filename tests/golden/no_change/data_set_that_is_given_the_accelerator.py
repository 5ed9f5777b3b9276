# Right: the data set, written elsewhere, knows the accelerator and gives each process its own part.
import torch
from accelerate import Accelerator
from sentences import SentencePairs
from torch import nn
from torch.utils.data import DataLoader


class Ranker:
    def __init__(self, options):
        self.accelerator = Accelerator()
        self.scorer = nn.Linear(options.width, 1)
        optimizer = torch.optim.AdamW(self.scorer.parameters(), lr=options.rate)
        self.scorer, self.optimizer = self.accelerator.prepare(self.scorer, optimizer)
        self.batches = DataLoader(SentencePairs(options, self.accelerator), batch_size=None, num_workers=2)

    def fit(self):
        for better, worse in self.batches:
            margin = self.scorer(better) - self.scorer(worse)
            self.accelerator.backward(-nn.functional.logsigmoid(margin).mean())
            self.optimizer.step()
            self.optimizer.zero_grad()
