# Conditions that are asked again: what they made of a place goes with the answer.
# ruff: noqa: F821, F841, SIM108
from accelerate import Accelerator
from torch import nn, optim

accelerator = Accelerator()
model, optimizer = nn.Linear(2, 2), optim.SGD([])

if both:
    extra = optim.SGD([])
    net = accelerator.prepare(nn.Linear(2, 2))
else:
    net = nn.Linear(2, 2)
if both:
    net = net  # net: prepared; extra: raw optimizer
else:
    net = net  # net: raw; extra: unbound
if not both:
    net = net  # net: raw
net = net  # net: prepared | raw

# Made, prepared and put back under one condition.
optimizers = {"main": optimizer}
given = [model, optimizer]
if settings.both:
    more = optim.SGD([])
    optimizers["more"] = more
    given.append(more)
prepared = accelerator.prepare(*given)
if settings.both:
    optimizers["more"] = prepared[2]
stepped = optimizers["more"]  # stepped: prepared

# The negation, and comparisons in both senses.
if mode == "full":
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if mode != "full":
    kept = kept  # kept: raw
else:
    kept = kept  # kept: prepared

if mode == "half":
    kept = kept  # kept: raw | prepared
if not both:
    kept = nn.Linear(2, 2)
else:
    kept = accelerator.prepare(nn.Linear(2, 2))
if both:
    kept = kept  # kept: prepared
if mode in ("full", "half"):
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if mode not in ("full", "half"):
    one = kept  # one: raw
if mode not in ["full", "half"]:
    one = kept  # one: raw | prepared

if mode in (first, second):
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if mode in (first, second):
    one = kept  # one: prepared
if mode in (second, first):
    one = kept  # one: raw | prepared
if flag and both:
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if flag or both:
    one = kept  # one: raw | prepared
if flag and both:
    one = kept  # one: prepared

# What calls something may answer otherwise.
if not check():
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if not check():
    one = kept  # one: raw | prepared
if mode in (check(), "half"):
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if mode in (check(), "half"):
    one = kept  # one: raw | prepared
if flag and check():
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if flag and check():
    one = kept  # one: raw | prepared

# A condition without an ``else``: the place is what it was before.
late = nn.Linear(2, 2)
early = late
if flag is None:
    late = accelerator.prepare(late)
if flag is not None:
    late = late  # late: raw
    early = early  # early: raw
else:
    early = early  # early: superseded

# Items, several conditions in one, and what an accelerator stays.
if config["full"]:
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if not config["full"]:
    kept = kept  # kept: raw
if accelerator.is_main_process and not (flag or count > 1):
    kept = accelerator.prepare(nn.Linear(2, 2))
else:
    kept = nn.Linear(2, 2)
if accelerator.is_main_process and not (flag or count > 1):
    kept = kept  # kept: prepared
if accelerator.is_main_process and (flag or count > 1):
    kept = kept  # kept: raw | prepared
if accelerator.is_main_process and not (flag or count <= 1):
    kept = kept  # kept: raw | prepared

# Asked again after the answer may have changed.
kept = nn.Linear(2, 2)
if count:
    kept = accelerator.prepare(kept)
count += 1
if count:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if state.ready:
    kept = accelerator.prepare(kept)
state.ready = True
if state.ready:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if runner.ready:
    kept = accelerator.prepare(kept)
runner.go_on()
if runner.ready:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if config["ready"]:
    kept = accelerator.prepare(kept)
config["ready"] = True
if config["ready"]:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if config["ready"]:
    kept = accelerator.prepare(kept)
config.reload()
config["ready"] = True
if config["ready"]:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if config[count]:
    kept = accelerator.prepare(kept)
if config[count]:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if accelerator.sync_gradients:
    kept = accelerator.prepare(kept)
if accelerator.sync_gradients:
    kept = kept  # kept: raw | prepared
kept = nn.Linear(2, 2)
if check():
    kept = accelerator.prepare(kept)
if check():
    kept = kept  # kept: raw | prepared

kept = nn.Linear(2, 2)
if runner.ready:
    kept = accelerator.prepare(kept)
runner.go_on()
runner.ready = False
if runner.ready:
    kept = kept  # kept: raw | prepared

# Bound anew in between: the answer says nothing of it.
kept = raw = nn.Linear(2, 2)
if flag:
    kept = accelerator.prepare(kept)
kept = raw
if flag:
    kept = kept  # kept: raw | superseded

# Superseded on one way by the condition, on the other one later.
base = nn.Linear(2, 2)
if flag:
    pass
else:
    accelerator.prepare(base)
accelerator.prepare(base)
if flag:
    base = base  # base: superseded

# What was not there on one way, and is superseded by now on the other one.
if both:
    single = nn.Linear(2, 2)
accelerator.prepare(single)
if not both:
    net = net  # single: unbound
else:
    single = single  # single: superseded

# Each round asks anew.
for step in range(3):
    fresh = nn.Linear(2, 2)
    if flag:
        fresh = fresh  # fresh: raw
        fresh = accelerator.prepare(fresh)
    if flag:
        fresh = fresh  # fresh: prepared
    if step == 0:
        first = accelerator.prepare(nn.Linear(2, 2))
    else:
        first = nn.Linear(2, 2)
if flag:
    fresh = fresh  # fresh: prepared | raw


def turn():
    global switch
    switch = not switch


def read_from_around():
    kept = nn.Linear(2, 2)
    if switch:
        kept = accelerator.prepare(kept)
    if switch:
        first = kept  # first: prepared
    turn()
    if switch:
        kept = kept  # kept: raw | prepared


def bind_around(switched):
    global switch
    kept = nn.Linear(2, 2)
    if switch:
        kept = accelerator.prepare(kept)
    switch = False
    if switch:
        kept = kept  # kept: raw | prepared


switch = True
read_from_around()
bind_around(flag)


class Trainer:
    def __init__(self, both):
        self.both = both
        self.model = nn.Linear(2, 2)
        if self.both:
            self.other = nn.Linear(2, 2)

    def set_up(self, accelerator):
        if self.both:
            self.model, self.other = accelerator.prepare(self.model, self.other)
        if not self.both:
            kept = self.model  # kept: raw
        else:
            kept = self.model  # kept: prepared
        raw = nn.Linear(2, 2)
        self.extra = raw
        if self.both:
            self.extra = accelerator.prepare(self.extra)
        self.extra = raw
        if self.both:
            kept = self.extra  # kept: raw | superseded
        self.both = None
        if self.both:
            kept = self.model  # kept: raw | prepared


Trainer(flag).set_up(accelerator)

# What a prepare call has superseded since goes with the answer as well.
if flag:
    either = nn.Linear(2, 2)
else:
    either = optim.SGD([])
kept = accelerator.prepare(either)
if flag:  # either: superseded model
    pass

if kind in ("model", [1]):
    either = nn.Linear(2, 2)
else:
    either = optim.SGD([])
if kind in ("model", [1]):  # either: raw model
    pass
if kind in ("other", [1]):  # either: raw model | raw optimizer
    pass


def asked(net, flag=None):
    if flag is True:
        return accelerator.prepare(net)
    return net


kept = asked(nn.Linear(2, 2))  # kept: raw | prepared


def left_midway(flag):
    first = nn.Linear(2, 2)
    try:
        check()
        if flag:
            first = accelerator.prepare(first)
        if flag:
            kept = first  # kept: prepared
    except ValueError:
        if flag:
            kept = first  # kept: raw | prepared
    if flag:
        kept = first  # kept: raw | prepared


def one_case(flag):
    second = nn.Linear(2, 2)
    match check():
        case 1:
            if flag:
                second = accelerator.prepare(second)
        case 2:
            if flag:
                kept = second  # kept: raw
    if flag:
        kept = second  # kept: raw | prepared


def left_by_break(flag):
    third = nn.Linear(2, 2)
    for each in check():
        if each:
            break
    else:
        if flag:
            third = accelerator.prepare(third)
    if flag:
        kept = third  # kept: raw | prepared


def changed_out_of_sight(words, names, key, value):
    kept = nn.Linear(2, 2)
    if "net" in words:
        kept = accelerator.prepare(kept)
    if "net" in words:
        kept = kept  # kept: prepared
    words.remove("net")
    if "net" in words:
        kept = kept  # kept: raw | prepared
    kept = nn.Linear(2, 2)
    if names["net"]:
        kept = accelerator.prepare(kept)
    names[key] = False
    if names["net"]:
        kept = kept  # kept: raw | prepared
    kept = nn.Linear(2, 2)
    if names.net:
        kept = accelerator.prepare(kept)
    setattr(names, key, value)
    if names.net:
        kept = kept  # kept: raw | prepared
    kept = nn.Linear(2, 2)
    if value:
        kept = accelerator.prepare(kept)
    from settings import value

    if value:
        kept = kept  # kept: raw | prepared


class Inheriting(Base):
    def set_up(self):
        kept = nn.Linear(2, 2)
        if self.both:
            kept = accelerator.prepare(kept)
        super().set_up()
        if self.both:
            kept = kept  # kept: raw | prepared


def none_is_nothing(first, second=None):
    if first is None:  # first: nothing
        pass
    if not (first is not None and second):  # first: raw
        pass
    if first is not None and second is None:  # first: raw; second: nothing
        pass
    kept = nn.Linear(2, 2)
    if kept is not None:
        kept = accelerator.prepare(kept)
    kept = kept  # kept: prepared
    if first is None or kept is None:  # kept: prepared
        pass
    else:
        first = first  # first: raw
