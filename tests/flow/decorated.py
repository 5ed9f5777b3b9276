# Functions that something else calls: decorators, find_executable_batch_size, launchers.
# ruff: noqa: F811, F821
from contextlib import contextmanager

import torch
from accelerate import Accelerator, notebook_launcher
from accelerate.utils import find_executable_batch_size
from torch import nn, optim
from torch.utils.data import DataLoader

accelerator = Accelerator()
model, loader = nn.Linear(2, 2), DataLoader([])
optimizer = optim.SGD(model.parameters())
old = model


@find_executable_batch_size(starting_batch_size=16)
def loop(batch_size, factor):  # batch_size: nothing; factor: raw
    global model, optimizer
    model, optimizer = accelerator.prepare(model, optimizer)  # model: prepared; optimizer: prepared
    for batch in loader:
        accelerator.backward(model(batch))
        optimizer.step()  # use step: prepared optimizer


loop(nn.Linear(2, 2))  # old: superseded; model: prepared
model = model  # model: prepared


@torch.no_grad()
def evaluate(net):  # net: prepared
    for batch in loader:
        out = net(batch)  # use call: prepared; trains: nothing
        accelerator.backward(out)


evaluate(model)


@unknown_decorator
def helper():
    return nn.Linear(2, 2)


made = helper()  # made: raw model


def training(net, opt):  # net: raw model; opt: raw optimizer
    accel = Accelerator()
    net, opt = accel.prepare(net, opt)  # net: prepared; opt: prepared; by: accel


notebook_launcher(training, (nn.Linear(2, 2), optim.SGD([])), num_processes=2)
notebook_launcher(training, args=(nn.Linear(2, 2), optim.SGD([])))


class Holder:
    @staticmethod
    def build(net):  # net: raw model
        return accelerator.prepare(net)

    @classmethod
    def create(cls, net):  # cls: class; net: raw model
        return cls.build(net)


kept = Holder.build(nn.Linear(2, 2))  # kept: prepared
kept = Holder.create(nn.Linear(2, 2))  # kept: prepared
kept = Holder().build(nn.Linear(2, 2))  # kept: prepared


# A decorator that is not known may hand in other arguments than the caller (as those of click do).
@unknown_decorator
def command(net, train=False):
    if train:
        accelerator.prepare(net)  # prepare: discarded


command(nn.Linear(2, 2))


@unknown_decorator
@torch.no_grad()
def evaluation(net, wrap=False):
    if wrap:
        accelerator.prepare(net)  # prepare: discarded


evaluation(nn.Linear(2, 2))


@contextmanager
def opened():
    yield nn.Linear(2, 2)


with opened() as kept:  # kept: raw model [contextmanager]
    pass

noise = torch.randn(2)  # noise: data
