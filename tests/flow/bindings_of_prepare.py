# Every way to take what prepare gives, and what it leaves behind in the other places.
# ruff: noqa: F821
from accelerate import Accelerator
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader

accelerator = Accelerator()  # accelerator: accelerator
model = nn.Linear(2, 2)  # model: raw model
optimizer = optim.AdamW(model.parameters())  # optimizer: raw optimizer; models optimizer: model
loader = DataLoader([])  # loader: raw DataLoader
scheduler = StepLR(optimizer, 1)  # scheduler: raw scheduler

# In order, whatever the names say.
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # prepare: unpacked; handed: 3
pass  # loader: prepared DataLoader
scheduler = accelerator.prepare(scheduler)  # prepare: one name; handed: 1; scheduler: prepared scheduler
pass  # model: prepared model; optimizer: prepared optimizer

first, second = nn.Linear(2, 2), optim.SGD([])  # first: raw model; second: raw optimizer
second, first = accelerator.prepare(first, second)  # second: prepared model; first: prepared optimizer

# One name for several objects is a tuple, whose members are the prepared ones.
net = nn.Linear(2, 2)
other = nn.Linear(2, 2)
both = accelerator.prepare(net, other)  # prepare: one name; both: container; length both: 2; net: superseded
net = both[0]  # net: prepared; is net: net
other = both[-1]  # other: prepared; is other: other

# Nothing takes it.
alone = nn.Linear(2, 2)
accelerator.prepare(alone)  # prepare: discarded; alone: superseded

# Handed on at once.
wrapped = nn.Linear(2, 2)
parts = [accelerator.prepare(wrapped), None]  # prepare: passed on; wrapped: superseded; parts[0]: prepared
annotated: nn.Module = accelerator.prepare(wrapped)  # prepare: one name; annotated: prepared model
if (walrus := accelerator.prepare(nn.Linear(2, 2))) is not None:  # walrus: prepared
    pass

# A star on either side.
stars = [nn.Linear(2, 2), optim.SGD([])]
stars[0], stars[1] = accelerator.prepare(*stars)  # handed: 2; stars[0]: prepared model; stars[1]: prepared optimizer
head, *rest = accelerator.prepare(nn.Linear(2, 2), optim.SGD([]), DataLoader([]))  # head: prepared model
pass  # length rest: 2
tail = rest[1]  # tail: prepared DataLoader
unknown = accelerator.prepare(*make())  # handed: any

# What is no model, optimizer, loader or scheduler comes back as it went in.
listed = [nn.Linear(2, 2)]
listed = accelerator.prepare(listed)  # listed: container; listed[0]: raw
walked = iter(loader)
walked = accelerator.prepare(walked)  # walked: iterator
nobody = accelerator.prepare(None)  # nobody: nothing

# The methods for one kind.
single = nn.Linear(2, 2)
single = accelerator.prepare_model(single)  # single: prepared; prepare: one name
batches = accelerator.prepare_data_loader(DataLoader([]))  # batches: prepared DataLoader
steps = accelerator.prepare_optimizer(optim.SGD([]))  # steps: prepared optimizer
rates = accelerator.prepare_scheduler(StepLR(steps, 1))  # rates: prepared scheduler

# Preparing again gives the prepared object of the same model; the one from the first call is no raw object.
again = accelerator.prepare(single)  # again: prepared; is again: single; single: prepared

# Settings are not handed over.
quiet, steps = accelerator.prepare(nn.Linear(2, 2), steps, device_placement=[True, False])  # handed: 2
pass  # quiet: prepared model


def build(model, optimizer):  # model: raw; optimizer: raw
    return accelerator.prepare(model, optimizer)  # prepare: returned; model: superseded


net2, opt2 = build(nn.Linear(2, 2), optim.SGD([]))  # net2: prepared model; opt2: prepared optimizer


def as_one(net, batches):
    pair = accelerator.prepare(net, optim.SGD([]))
    for batch in batches:
        loss = pair(batch)  # tuple: call
        accelerator.backward(loss)
