# Right: the accelerator divides the loss by its count, and the loop itself lets the optimizer step once per group.
import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class Runner:
    def __init__(self, args, data):
        self.args = args
        self.accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
        model = nn.Linear(9, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.model, self.optimizer, self.loader = self.accelerator.prepare(
            model, optimizer, DataLoader(data, batch_size=3)
        )

    def run(self):
        for index, (x, y) in enumerate(self.loader, 1):
            self.accelerator.backward(nn.functional.cross_entropy(self.model(x), y))
            if index % self.args.accumulate:
                continue
            self.optimizer.step()
            self.optimizer.zero_grad()
