# Functions of the file run where they are called, with what the caller hands them.
# ruff: noqa: B007, E731, F821, F841, UP028
from functools import partial

from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader

accelerator = Accelerator()
model = nn.Linear(2, 2)


def same(net, /, *, twice=False):  # net: raw | prepared
    return net


kept = same(model)  # kept: raw; is kept: model
model = accelerator.prepare(model)
kept = same(model)  # kept: prepared


# Each call makes objects of its own.
def build(width=2):
    return nn.Linear(width, 2)


first, second = build(), build(3)  # first: raw model; second: raw model
first = accelerator.prepare(first)  # first: prepared; second: raw


def make_all():
    net = nn.Linear(2, 2)
    opt = optim.SGD(net.parameters())
    return net, opt, DataLoader([])


net, opt, data = make_all()  # net: raw model; opt: raw optimizer; data: raw DataLoader
net, opt, data = accelerator.prepare(*make_all())  # handed: 3; net: prepared model; data: prepared DataLoader


# Preparing what the caller holds leaves the caller's names behind.
def setup(net):
    net = accelerator.prepare(net)  # net: prepared
    return None


plain = nn.Linear(2, 2)
result = setup(plain)  # result: nothing; plain: superseded

# Defaults are taken where the function is defined.
shared = nn.Linear(2, 2)


def with_default(net=shared):  # net: raw | superseded
    return net


kept = with_default()  # kept: raw
shared = accelerator.prepare(shared)
kept = with_default()  # kept: superseded


# Names from around are read where the function runs.
def read():
    return shared


kept = read()  # kept: prepared


def several(*nets, **named):  # nets: container; named: container
    return nets[0], named["opt"]


x, y = several(nn.Linear(2, 2), opt=optim.SGD([]))  # x: raw model; y: raw optimizer
args = (nn.Linear(2, 2), 1)
x, y = several(*args, opt=optim.SGD([]))  # x: raw; y: raw optimizer
x = same(*[nn.Linear(2, 2)])  # x: raw model
y = same(**{"net": model})  # y: prepared


# Ways out: all returns, with the state each of them leaves.
def maybe(net):
    if flag:
        return accelerator.prepare(net)
    return net


base = nn.Linear(2, 2)
kept = maybe(base)  # kept: raw | prepared; base: raw | superseded


# Switches: a constant says which way a call goes.
def switched(net, train=True, extra=None):
    if not train:
        return net
    if extra is None:
        return accelerator.prepare(net)
    return None


base = nn.Linear(2, 2)
kept = switched(base, train=False)  # kept: raw; base: raw
kept = switched(base, True, object)  # kept: prepared; base: raw | superseded
kept = switched(base)  # kept: prepared; base: superseded


# Recursion is not followed.
def again(net, depth):
    if depth:
        return again(net, depth - 1)  # gap: a recursive or very deep call
    return net


kept = again(nn.Linear(2, 2), 3)  # kept: raw


# Closures, nonlocal and global.
def outer():
    inner_net = nn.Linear(2, 2)

    def inner():
        nonlocal inner_net
        inner_net = accelerator.prepare(inner_net)

    def reads():
        return inner_net

    before = reads()  # before: raw
    inner()  # inner_net: prepared; before: superseded
    return reads()


kept = outer()  # kept: prepared

held = nn.Linear(2, 2)


def replace():
    global held, fresh
    held = accelerator.prepare(held)  # held: prepared
    fresh = nn.Linear(2, 2)


pass  # held: raw; fresh: unbound
replace()  # held: prepared; fresh: raw


def counter():
    net = nn.Linear(2, 2)

    def get():
        return net

    net = accelerator.prepare(net)
    return get


kept = counter()()  # kept: prepared

# Lambdas and partial.
make = lambda: nn.Linear(2, 2)  # make: function
kept = make()  # kept: raw model
pick = lambda net, opt: opt
kept = pick(model, nn.Linear(2, 2))  # kept: raw model
bound = partial(same, model)  # bound: method
kept = bound()  # kept: prepared
second_bound = partial(pick, opt=model)
kept = second_bound(1)  # kept: prepared
bound, second_bound = partial(same, model), partial(same, nn.Linear(2, 2))
kept = bound()  # kept: prepared
kept = second_bound()  # kept: raw
ready = accelerator.prepare
kept = ready(nn.Linear(2, 2))  # kept: prepared


# Generators.
def parts():
    yield nn.Linear(2, 2)
    yield nn.Linear(2, 2)


for part in parts():  # part: raw model
    pass
stream = parts()  # stream: iterator


# A function that nobody calls gets unknown arguments.
def uncalled(net, accel: Accelerator, opt=None):  # net: raw; accel: accelerator; opt: raw
    net = accel.prepare(net)  # net: prepared; by: accel
    return net


async def later(net):
    return accelerator.prepare(net)


async def awaiting():
    kept = await later(nn.Linear(2, 2))  # kept: prepared
    return kept


# What is handed over unseen may be any of the parameters.
kept = switched(nn.Linear(2, 2), *rest)  # kept: raw | prepared
kept = switched(nn.Linear(2, 2), **vars(args))  # kept: raw | prepared


# A generator runs when it is walked.
def lazily():
    for batch in loader:  # use iterate: prepared [lazy-generator]
        yield batch


loader = DataLoader([])
stream = lazily()
loader = accelerator.prepare(loader)
for batch in stream:  # batch: data
    pass

walk = lambda: (yield nn.Linear(2, 2))
for part in walk():  # part: raw model
    pass


def give_up(net):
    raise Stopped(net(1))  # use call: raw


give_up(nn.Linear(2, 2))
