# Right: the average of the weights is a model of its own, made from the raw one and never prepared.
import torch
from accelerate import Accelerator
import copy


class Average:
    def __init__(self, model, decay=0.999):
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for mean, new in zip(self.shadow.parameters(), model.parameters()):
            mean.lerp_(new, 1 - self.decay)

    def state_dict(self):
        return self.shadow.state_dict()


def train(model, loader, out):
    accelerator = Accelerator()
    average = Average(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch).mean())
        optimizer.step()
        optimizer.zero_grad()
        average.update(model)
    if accelerator.is_main_process:
        torch.save({"average": average.state_dict(), "config": average.shadow.config}, out)
