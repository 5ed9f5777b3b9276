# Loops that run to a fixpoint, loops over known sequences, comprehensions.
# ruff: noqa: B007, B020, F821
from accelerate import Accelerator
from torch import nn, optim
from torch.utils.data import DataLoader

accelerator = Accelerator()
model, loader = nn.Linear(2, 2), DataLoader([])
for epoch in range(3):  # epoch: nothing; model: raw | prepared
    seen = model  # seen: raw | prepared
    model = accelerator.prepare(model)  # model: prepared; seen: superseded | prepared
after = model  # after: raw | prepared; seen: superseded | prepared

# Places move on by one in each round.
a, b, c = None, None, nn.Linear(2, 2)
while flag:
    a, b = b, c  # a: raw; b: raw
a = a  # a: raw; b: raw

# break, continue, else.
net = nn.Linear(2, 2)
for _ in unknown:
    if flag:
        net = accelerator.prepare(net)
        break
    net = net  # net: raw
else:
    net = None  # net: nothing
net = net  # net: prepared

net = nn.Linear(2, 2)
while flag:
    if flag:
        continue
    net = accelerator.prepare(net)  # net: prepared
net = net  # net: raw | prepared

# ``while True`` ends only by break.
net = nn.Linear(2, 2)
while True:
    net = accelerator.prepare(net)
    if flag:
        break
net = net  # net: prepared

# Loops over literals are unrolled.
first, second = nn.Linear(2, 2), optim.SGD([])
for part in (first, second):  # part: raw model | raw optimizer
    last = part  # last: raw
last = last  # last: raw optimizer; part: raw optimizer

prepared = []
for part in [first, second]:
    prepared.append(accelerator.prepare(part))  # prepared: container
pass  # first: superseded; second: superseded; prepared: container
one = prepared[0]  # one: prepared

for name, part in [("a", nn.Linear(2, 2)), ("b", optim.SGD([]))]:  # name: nothing; part: raw model | raw optimizer
    part = accelerator.prepare(part)  # part: prepared model | prepared optimizer

for part in [first, second]:
    if flag:
        break
    found = part
else:
    found = None
found = found  # found: superseded

# Batches.
loader = accelerator.prepare(loader)
for batch in loader:  # batch: data; use iterate: prepared DataLoader; trains: DataLoader
    loss = model(batch)  # loss: data; use call: raw | prepared; trains: model
    accelerator.backward(loss)  # backward: accelerator
for step, batch in enumerate(loader):  # step: nothing; use iterate: prepared; trains: nothing [batches-of-one-loader]
    out = model(batch)  # out: data; use call: raw | prepared

# Comprehensions bind only inside.
outside = nn.Linear(2, 2)
nets = [accelerator.prepare(outside) for outside in [nn.Linear(2, 2), nn.Linear(2, 2)]]  # length nets: 2; outside: raw
net0, net1 = nets  # net0: prepared; net1: prepared
filtered = [each for each in nets if each]  # filtered: container; length filtered: None
one = filtered[0]  # one: prepared
named = {name: accelerator.prepare(nn.Linear(2, 2)) for name in names}  # named: container
some = named["a"]  # some: prepared
lazy = (each for each in nets)  # lazy: iterator
x, y = accelerator.prepare(*[nn.Linear(2, 2), optim.SGD([])])  # x: prepared model; y: prepared optimizer
x, y = [accelerator.prepare(each) for each in (nn.Linear(2, 2), optim.SGD([]))]  # x: prepared model
pass  # y: prepared optimizer
x, y = (
    accelerator.prepare(each) for each in (nn.Linear(2, 2), optim.SGD([]))
)  # x: prepared model | prepared optimizer
x, y = map(accelerator.prepare, (first, second))  # x: prepared
pairs = [(i, j) for i in nets for j in nets]  # pairs: container
params = [p for p in model.parameters() if p.requires_grad]  # params: parameters


def walk(loader, net):
    async def later():
        async for batch in loader:
            accelerator.backward(net(batch))

    return later


# A place that is bound only in the loop holds in the next round what it got in this one.
for _ in unknown:
    if flag:
        seen = late  # seen: raw model | raw object
    late = nn.Linear(2, 2)

# A chain of places that is longer than there are rounds.
p = q = r = s = t = u = v = None
w = nn.Linear(2, 2)
while flag:
    p, q, r, s, t, u, v = q, r, s, t, u, v, w  # gap: a loop that does not settle; q: raw

# A loop over the only member.
net = nn.Linear(2, 2)
for net in [net]:
    net = accelerator.prepare(net)
net = net  # net: prepared

# A container that each round makes anew is empty.
for part in [nn.Linear(2, 2), optim.SGD([])]:
    row = {}
    got = row.get("net")  # got: nothing
    row["net"] = part

# Loops within one begin each with what it has led to itself.
for epoch in unknown:
    kept = nn.Linear(2, 2)
    for step in unknown:
        kept = accelerator.prepare(kept)
    kept = nn.Linear(2, 2)
    for step in unknown:
        pass  # kept: raw
    while flag:
        kept = accelerator.prepare(kept)
    kept = nn.Linear(2, 2)
    while flag:
        pass  # kept: raw

# The condition of ``while`` is evaluated in each round.
while turned := accelerator.prepare(nn.Linear(2, 2)):
    pass  # turned: prepared

# A round that goes on only by ``continue``, and an ``else`` that ends.
mark = nn.Linear(2, 2)
for step in unknown:
    if flag:
        continue
    mark = accelerator.prepare(mark)
    break
mark = mark  # mark: raw | prepared
mark = nn.Linear(2, 2)
for step in unknown:
    if flag:
        mark = accelerator.prepare(mark)
        continue
    mark = None
    raise ValueError
mark = mark  # mark: raw | prepared
mark = nn.Linear(2, 2)
for step in unknown:
    if flag:
        break
else:
    mark = None
    raise SystemExit
mark = mark  # mark: raw

# Known members, of which the first ends the loop.
for part in (nn.Linear(2, 2), optim.SGD([])):
    taken = part
    if flag:
        break
    raise ValueError
taken = taken  # taken: raw model
for part in (nn.Linear(2, 2), optim.SGD([])):
    taken = part
    break
taken = taken  # taken: raw model
for part in ():
    pass
else:
    taken = None
taken = taken  # taken: nothing
