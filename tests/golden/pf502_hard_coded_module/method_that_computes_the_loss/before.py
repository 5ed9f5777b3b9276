import torch
from accelerate import Accelerator
from torch import nn


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(10, 20)
        self.head = nn.Linear(20, 6)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))

    def loss(self, x, target):
        return nn.functional.smooth_l1_loss(self(x), target)


def train(loader):
    accelerator = Accelerator()
    pose = Pose()
    optimizer = torch.optim.Adam(pose.parameters())
    pose, optimizer, loader = accelerator.prepare(pose, optimizer, loader)
    for x, target in loader:
        loss = pose.module.loss(x, target)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
