"""The tuple that prepare returns is walked for its members, each of which is used as what it is."""

import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader


def fit(train_set, other_set, epochs):
    accelerator = Accelerator()
    encoder, head = nn.Linear(4, 4), nn.Linear(4, 1)
    encoder_optimizer = optim.SGD(encoder.parameters(), lr=0.1)
    head_optimizer = optim.SGD(head.parameters(), lr=0.1)
    encoder, head, encoder_optimizer, head_optimizer = accelerator.prepare(
        encoder, head, encoder_optimizer, head_optimizer
    )
    loaders = accelerator.prepare(DataLoader(train_set, batch_size=8), DataLoader(other_set, batch_size=8))
    for _ in range(epochs):
        for loader in loaders:
            for batch in loader:
                accelerator.backward(head(encoder(batch)).pow(2).mean())
                encoder_optimizer.step()
                head_optimizer.step()
                encoder_optimizer.zero_grad()
                head_optimizer.zero_grad()


def distil(train_set, epochs):
    accelerator = Accelerator()
    student = nn.Linear(4, 1)
    optimizer = optim.SGD(student.parameters(), lr=0.1)
    loader = DataLoader(train_set, batch_size=8, shuffle=True)
    student, optimizer, loader = accelerator.prepare(student, optimizer, loader)
    teachers = accelerator.prepare(nn.Linear(4, 1), nn.Linear(4, 1))
    for _ in range(epochs):
        for batch in loader:
            loss = 0
            for teacher in teachers:
                with torch.no_grad():
                    wanted = teacher(batch)
                loss = loss + (student(batch) - wanted).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()


if __name__ == "__main__":
    fit(torch.rand(32, 4), torch.rand(16, 4), epochs=2)
    distil(torch.rand(32, 4), epochs=2)
