import torch
from accelerate import Accelerator
from torch import nn


def score(folder, dataset):
    accelerator = Accelerator()
    model = nn.Linear(16, 1)
    model = accelerator.prepare(model)
    accelerator.load_state(folder)
    with torch.no_grad():
        return [accelerator.gather(model(features)) for features in dataset]
