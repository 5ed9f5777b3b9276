# Names, aliases and unpacking: an alias is a second place of one object.
# ruff: noqa: E402, F821, RUF005
from accelerate import Accelerator
from torch import nn, optim

accelerator = Accelerator()
model = nn.Linear(2, 2)
alias = model  # alias: raw model; is alias: model
chained = also = model  # chained: raw; also: raw
optimizer = optim.SGD(alias.parameters())  # models optimizer: model
model = accelerator.prepare(model)  # model: prepared; alias: superseded; chained: superseded; is alias: model
moved = alias.to("cuda").train()  # moved: superseded; is moved: model
del also  # also: unbound; alias: superseded
alias = model  # alias: prepared
alias = None  # alias: nothing

# In parallel.
left, right = nn.Linear(2, 2), optim.SGD([])  # left: raw model; right: raw optimizer
left, right = right, left  # left: raw optimizer; right: raw model
(one, two), three = (left, right), left  # one: raw optimizer; two: raw model; three: raw optimizer
[four, (five, six)] = [one, (two, three)]  # four: raw optimizer; five: raw model; six: raw optimizer

# Stars in targets.
first, *middle, last = left, right, left, right  # first: raw optimizer; length middle: 2; last: raw model
inner, *empty = [right]  # inner: raw model; length empty: 0
*front, end = (left, right)  # front[0]: raw optimizer; end: raw model
spread = [*front, end]  # length spread: 2; spread[1]: raw model

# What is taken apart without known members gives a part of it for each position.
unknown, other = make()  # unknown: raw; other: raw

# Annotations, augmented and conditional values.
typed: nn.Module = right  # typed: raw model
either = left if flag else right  # either: raw optimizer | raw model
given = None or right  # given: raw model
total = 0
total += model(1)  # total: data
half = total / 2  # half: data
added = [left] + [right]  # added: container
added += [model]  # added: container; length added: None

# One assignment to two targets, one of them an item.
parts = {}
parts["net"] = kept = right  # parts["net"]: raw model; kept: raw model

# Copies are objects of their own: what is prepared is not them.
import copy  # copy: import

shadow = copy.deepcopy(kept)  # shadow: raw model
kept = accelerator.prepare(kept)  # kept: prepared; right: superseded; shadow: raw
late = copy.deepcopy(kept)  # late: raw model
