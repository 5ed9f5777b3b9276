# What trains, in what stage, and roles that only use can tell.
# ruff: noqa: F821, RUF059
import torch
from accelerate import Accelerator
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader

accelerator = Accelerator()


def usual():
    model = nn.Linear(2, 2)
    optimizer = optim.AdamW(model.parameters(), lr=0.1)  # role optimizer: optimizer; models optimizer: model
    scheduler = StepLR(optimizer, 1)  # role scheduler: scheduler
    loader = DataLoader([])
    net, opt, data, _ = accelerator.prepare(model, optimizer, loader, scheduler)
    for batch in loader:  # use iterate: superseded DataLoader; trains: DataLoader; stale: iterate
        with accelerator.accumulate(net):  # use iterate: nothing
            loss = model(batch)  # use call: superseded model; trains: model; stale: call
            loss = loss + net(batch)  # use call: prepared model; trains: model; stale: nothing
            accelerator.backward(loss)  # backward: accelerator
            optimizer.step()  # use step: superseded optimizer; stale: step
            opt.step()  # use step: prepared optimizer; stale: nothing
            scheduler.step()  # use step: superseded scheduler; stale: step
            optimizer.zero_grad()  # use zero_grad: superseded optimizer; stale: zero_grad


def without_gradients(model, data):
    model = accelerator.prepare(model)
    for batch in data:  # trains: DataLoader; role data: DataLoader
        with torch.no_grad():
            hidden = model(batch)  # use call: prepared; trains: nothing
        loss = model(batch, hidden)  # trains: object
        loss.backward()  # backward: plain
        loss.item()
    for batch in data:  # trains: nothing [batches-of-one-loader]
        shown = model(batch).detach()  # use call: prepared; trains: nothing
        print(shown)


# Roles by use alone.
def by_use(factory, data):
    net, trainer, warmup = factory.net(), factory.trainer, None
    trainer = factory.make(net.parameters())  # role trainer: optimizer; models trainer: net
    warmup = factory.warm(optim.SGD(net.parameters()))  # role warmup: scheduler
    net, trainer = accelerator.prepare(net, trainer)  # role net: model; role trainer: optimizer
    for batch in data:  # role data: DataLoader
        net.train()
        out = net(batch)  # trains: model
        accelerator.backward(out)
        trainer.step()  # use step: prepared optimizer
        trainer.zero_grad()
        warmup.step()  # use step: raw scheduler


# A training step in another function.
def step(net, batch):  # net: prepared model; batch: data
    return net(batch)  # use call: prepared; trains: model


def split():
    net, data = accelerator.prepare(nn.Linear(2, 2), DataLoader([]))
    for batch in data:  # use iterate: prepared; trains: DataLoader
        loss = step(net, batch)  # loss: data
        loss = loss.mean() / 2  # loss: data
        accelerator.backward(loss)


split()


# An object that is prepared on one way only is stale on that way.
def some_path(flag):
    net = nn.Linear(2, 2)
    old = net
    if flag:
        net = accelerator.prepare(net)
    for batch in DataLoader([]):
        accelerator.backward(old(batch))  # use call: raw | superseded; stale: call
        accelerator.backward(net(batch))  # use call: raw | prepared; stale: nothing


# Bound methods of optimizers.
def bound():
    net = nn.Linear(2, 2)
    opt = optim.SGD(net.parameters())
    go = opt.step  # use attribute: raw optimizer
    net, opt = accelerator.prepare(net, opt)
    for batch in DataLoader([]):
        accelerator.backward(net(batch))
        go()  # use call: superseded; stale: call


# A default and a closure keep what was raw.
def kept():
    net = nn.Linear(2, 2)

    def early(batch, model=net):  # model: superseded
        return model(batch)  # use call: superseded; stale: call

    def late(batch):
        return net(batch)  # use call: prepared; stale: nothing

    net = accelerator.prepare(net)
    for batch in DataLoader([]):
        accelerator.backward(early(batch) + late(batch))


kept()


def all_by_keyword(model, data):
    net = accelerator.prepare_model(model=model)  # net: prepared; model: superseded
    for batch in data:
        loss = net(batch)  # trains: object
        accelerator.backward(loss=loss)  # backward: accelerator


# A loss that comes out of an object which the outputs were put into; what else it was told of is no data.
def collected():
    losses, layer = make_meter(), nn.Linear(2, 2)
    whole = nn.Sequential(layer)  # trains: nothing
    net = accelerator.prepare(whole)
    for batch in DataLoader([]):
        losses.watch(whole)
        losses.add(net(batch))  # use call: prepared model; trains: model
        accelerator.backward(losses.total())
