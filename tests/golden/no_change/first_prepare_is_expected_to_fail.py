# Right: the first call raises, which is what this test is about; only the second one prepares.
import pytest
import torch
from accelerate import Accelerator
from torch import nn


def test_prepare_needs_a_loader(plugin):
    accelerator = Accelerator(deepspeed_plugin=plugin)
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(ValueError):
        model, optimizer = accelerator.prepare(model, optimizer)
    plugin.micro_batch_size = 1
    model, optimizer = accelerator.prepare(model, optimizer)
    accelerator.backward(model(torch.ones(1, 2)).sum())
    optimizer.step()
