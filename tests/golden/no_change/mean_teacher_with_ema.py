# Right: the teacher is a copy without an optimizer, updated from the raw student and called under no_grad only.
import copy

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader


class MeanTeacher:
    def __init__(self, student, labelled, unlabelled, momentum=0.99):
        self.accelerator = Accelerator()
        self.momentum = momentum
        self.teacher = copy.deepcopy(student).requires_grad_(False).to(self.accelerator.device)
        self.raw_student = student
        optimizer = torch.optim.SGD(student.parameters(), lr=0.03, momentum=0.9)
        labelled = DataLoader(labelled, batch_size=16, shuffle=True)
        unlabelled = DataLoader(unlabelled, batch_size=48, shuffle=True)
        self.student, self.optimizer, self.labelled, self.unlabelled = self.accelerator.prepare(
            student, optimizer, labelled, unlabelled
        )

    @torch.no_grad()
    def update_teacher(self):
        for slow, fast in zip(self.teacher.parameters(), self.raw_student.parameters()):
            slow.mul_(self.momentum).add_(fast, alpha=1 - self.momentum)

    def epoch(self):
        self.student.train()
        for (x, y), u in zip(self.labelled, self.unlabelled):
            with torch.no_grad():
                target = self.teacher(u).softmax(dim=-1)
            logits = self.student(torch.cat([x, u]))
            loss = nn.functional.cross_entropy(logits[: len(x)], y)
            loss = loss + nn.functional.mse_loss(logits[len(x) :].softmax(dim=-1), target)
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.update_teacher()
