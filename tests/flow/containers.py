# Lists, dicts and their slices; the iterators around loaders.
# ruff: noqa: B007, B905, F821
import itertools
from itertools import cycle, islice

from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader
from tqdm.auto import tqdm

accelerator = Accelerator()
model, optimizer, loader = nn.Linear(2, 2), optim.SGD([]), DataLoader([])

items = []  # length items: 0
items.append(model)  # length items: 1; items[0]: raw model
items.append(optimizer)  # length items: 2; items[1]: raw optimizer
items += [loader]  # length items: None
pair = [model, optimizer]
model2, optimizer2 = accelerator.prepare(*pair)  # handed: 2
pass  # model2: prepared model; pair[0]: superseded; model: superseded
pair[0] = model2  # pair[0]: prepared; pair[1]: superseded
pair[index] = None  # pair[0]: prepared; pair[1]: superseded
pair[index] = optimizer2  # pair[0]: prepared; pair[1]: prepared | superseded

# Items by key.
parts = {"net": nn.Linear(2, 2), "opt": optim.SGD([]), **{"data": DataLoader([])}}  # parts["data"]: raw DataLoader
parts["net"] = accelerator.prepare(parts["net"])  # parts["net"]: prepared; parts["opt"]: raw
got = parts["opt"]  # got: raw optimizer
got = parts.get("net")  # got: prepared model
got = parts[key]  # got: prepared model | raw optimizer | raw DataLoader
for name, part in parts.items():  # name: nothing; part: prepared | raw
    pass
for part in parts.values():  # part: prepared model | raw optimizer | raw DataLoader
    pass
made = dict(net=got, opt=optimizer2)  # made["opt"]: prepared optimizer
parts.update({"net": None, "other": model2})
popped = made.pop("opt")  # popped: prepared optimizer
popped = popped  # made["opt"]: unbound [taken-away]
del made["net"]  # made["net"]: unbound [taken-away]

# What takes away, moves or repeats members changes their places.
row = [nn.Linear(2, 2), optim.SGD([])]
row.pop()  # length row: 1 [taken-away]
row = [nn.Linear(2, 2), optim.SGD([])]
row.reverse()
one = row[0]  # one: raw optimizer [list-reordered]
row = [nn.Linear(2, 2), optim.SGD([])]
row.insert(0, None)
one = row[1]  # one: raw model [list-reordered]
row = [nn.Linear(2, 2), optim.SGD([])]
row[:] = accelerator.prepare(*row)
one = row[0]  # one: prepared model
row = [nn.Linear(2, 2)] * 2  # length row: 2 [list-repeated]

# Copies are containers of their own.
row = [nn.Linear(2, 2)]
new = list(row)
new.append(None)  # length row: 1 [copied]
parts = {"net": nn.Linear(2, 2)}
new = parts.copy()
new["net"] = None  # parts["net"]: raw
parts = {"net": nn.Linear(2, 2)}
new = dict(parts)
one = new["net"]  # one: raw model
new = parts | {"opt": optim.SGD([])}
one = new["opt"]  # one: raw optimizer
parts |= {"opt": optim.SGD([])}
one = parts["opt"]  # one: raw optimizer
parts = {"net": nn.Linear(2, 2)}
new = dict(zip(["net"], [nn.Linear(2, 2)]))
one = new["net"]  # one: raw model
new = dict(**new, opt=optim.SGD([]))
one = new["opt"]  # one: raw optimizer | raw model
numbers = {1}
numbers |= {nn.Linear(2, 2)}
for one in numbers:  # one: raw model
    pass
for key in parts:  # key: nothing [dict-keys]
    pass
first, second = {"net": nn.Linear(2, 2)}, {"net": None}
one, two = first.copy(), second.copy()
one = one["net"]  # one: raw model
one, two = first.copy(), first.copy()
one["net"] = None  # two["net"]: raw model
while more:
    first = first.copy()
one = first["net"]  # one: raw model
new = {"net": nn.Linear(2, 2)}.copy().values()  # length new: 1; new[0]: raw model
one, two = first.items(), second.items()
for name, part in one:  # part: raw model
    pass
one, two = first.values(), {"opt": optim.SGD([])}.values()
one = one[0]  # one: raw model

# What is one container or another has the members of both.
either = {"net": nn.Linear(2, 2)} if flag else {"net": optim.SGD([])}
new = either.copy()
one = new["net"]  # one: raw model | raw optimizer
for name, part in either.items():  # part: raw model | raw optimizer
    pass
for part in either.values():  # part: raw model | raw optimizer
    pass

# Of what is made elsewhere each item is an object of its own.
made = make_parts()
net, opt = made["net"], made["opt"]
net = accelerator.prepare(net)  # net: prepared; opt: raw
made["net"] = net
net, opt = made["net"], made["opt"]  # net: prepared; opt: raw

# Zipped back.
for name, part in zip(names, accelerator.prepare(nn.Linear(2, 2), optim.SGD([]))):
    pass  # name: data; part: prepared model | prepared optimizer
items = []
for part in [nn.Linear(2, 2), optim.SGD([])]:
    items.append(part)
items = accelerator.prepare(*items)  # handed: any
one = items[0]  # one: prepared

# Slices.
row = (nn.Linear(2, 2), optim.SGD([]), DataLoader([]))
some = row[:2]  # length some: 2; some[1]: raw optimizer
some = row[1:]  # length some: 2; some[0]: raw optimizer
some = row[-1:]  # length some: 1; some[0]: raw DataLoader
some = row[::2]  # length some: None
one = some[0]  # one: raw model | raw optimizer | raw DataLoader
some = row[0:count]  # length some: None
net, opt, data = accelerator.prepare(*row)  # net: prepared model; data: prepared DataLoader; row[0]: superseded
net, *others = accelerator.prepare(nn.Linear(2, 2), *row[1:])  # handed: 3
pass  # net: prepared model; others[1]: prepared DataLoader
whole = accelerator.prepare(*row[:2], nn.Linear(2, 2))  # length whole: 3
rest = whole[1:]  # rest[0]: prepared optimizer; rest[1]: prepared model
turned = list(row)  # turned: container; turned[0]: superseded
turned = tuple(reversed(row))  # turned: container
turned.sort()
zipped = list(zip(row, names))  # zipped: container

# Around a loader.
train = DataLoader([])
bar = tqdm(train, total=3)  # bar: iterator
for batch in bar:  # batch: data; use iterate: raw DataLoader
    pass
train = accelerator.prepare(train)
for batch in bar:  # batch: data; use iterate: superseded DataLoader
    pass
for batch in tqdm(train):  # use iterate: prepared DataLoader
    pass
for step, (x, y) in enumerate(tqdm(train)):  # step: nothing; x: data; y: data; use iterate: prepared
    pass
for one, two in zip(train, DataLoader([])):  # one: data; two: data; use iterate: prepared | raw
    pass
for batch in islice(cycle(train), 3):  # batch: data; use iterate: prepared
    pass
for batch in itertools.chain(train, loader):  # use iterate: prepared | raw
    pass
walker = iter(train)  # walker: iterator
batch = next(walker)  # batch: data; use iterate: prepared
batch = next(iter(train))["x"]  # batch: data
everything = list(train)  # everything: container; use iterate: prepared
skipped = accelerator.skip_first_batches(train, 3)  # skipped: iterator
for batch in skipped:  # use iterate: prepared
    pass


for batch in sampled(lambda row: model.head, train):  # use attribute: nothing
    pass


def batches(loader):
    while True:
        yield from loader


stream = batches(train)  # stream: iterator
for batch in stream:  # batch: data; use iterate: prepared
    pass
