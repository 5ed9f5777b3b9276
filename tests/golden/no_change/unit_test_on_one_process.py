# Right: a unit test runs on one process, where prepare gives the model itself back.
import torch
from accelerate import Accelerator
import unittest

from torch import nn


class Line(nn.Module):
    def __init__(self):
        super().__init__()
        self.slope = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return self.slope * x


class ResumeTest(unittest.TestCase):
    def test_slope_moves(self):
        accelerator = Accelerator()
        line = Line()
        optimizer = torch.optim.SGD(line.parameters(), lr=0.1)
        line, optimizer = accelerator.prepare(line, optimizer)
        accelerator.backward((line(torch.ones(3)) - 1).square().mean())
        optimizer.step()
        self.assertNotEqual(line.slope.item(), 0.0)
