# Paths that part and meet: if, match, try and with.
# ruff: noqa: F821, F841, SIM108
from contextlib import suppress

from accelerate import Accelerator
from torch import nn, optim

accelerator = Accelerator()
model, optimizer = nn.Linear(2, 2), optim.SGD([])
old = model
if flag:
    model = accelerator.prepare(model)  # model: prepared; old: superseded
else:
    pass  # model: raw; old: raw
model = model  # model: raw | prepared; old: raw | superseded

# Where both ways prepare, nothing raw is left.
net = nn.Linear(2, 2)
if flag:
    net = accelerator.prepare(net)
elif other:
    net = accelerator.prepare_model(net)
else:
    raise ValueError
net = net  # net: prepared

# A way that ends does not come back.
guarded = nn.Linear(2, 2)
if flag:
    guarded = None
    raise SystemExit
guarded = guarded  # guarded: raw

# Bound on one way only.
if flag:
    late = nn.Linear(2, 2)
late = late  # late: raw


# Conditions on the program's own name hold.
if __name__ == "__main__":
    main = accelerator.prepare(nn.Linear(2, 2))
else:
    main = None  # main: never
main = main  # main: prepared

# match: one case, or none of them.
matched = nn.Linear(2, 2)
match flag:
    case "one":
        matched = accelerator.prepare(matched)
    case ["two", matched_part]:
        matched = None  # matched: nothing
matched = matched  # matched: raw | prepared

matched = nn.Linear(2, 2)
match flag:
    case 1:
        matched = accelerator.prepare(matched)
    case _:
        matched = accelerator.prepare_model(matched)
matched = matched  # matched: prepared

match (model, optimizer):
    case (captured, _):  # captured: container | raw | prepared
        pass

# try: a handler may begin anywhere in the body.
tried, before = nn.Linear(2, 2), None
before = tried
try:
    tried = accelerator.prepare(tried)  # tried: prepared
    check()
except ValueError as error:  # tried: raw | prepared; before: raw | superseded; error: nothing
    tried = before  # tried: raw | superseded
else:
    tried = tried  # tried: prepared
finally:
    done = True
tried = tried  # tried: raw | superseded | prepared

# A handler that ends leaves only the good way.
tried = nn.Linear(2, 2)
try:
    tried = accelerator.prepare(tried)
except ValueError:
    raise
tried = tried  # tried: prepared

# finally runs on all ways.
tried = nn.Linear(2, 2)
try:
    check()
except ValueError:
    pass
finally:
    tried = accelerator.prepare(tried)
tried = tried  # tried: prepared

# with.
star = nn.Linear(2, 2)
with open("f") as handle, context() as (entered, left):  # handle: nothing; entered: raw
    star = accelerator.prepare(star)  # star: prepared
star = star  # star: prepared

# What a block of ``with`` calls may end.
ended = nn.Linear(2, 2)
if flag:
    ended = accelerator.prepare(ended)
    exit()
ended = ended  # ended: raw
if flag and (spoken := accelerator.prepare(ended)):  # spoken: prepared
    pass
picked = accelerator.prepare(optimizer) if flag else optimizer  # picked: prepared | raw; optimizer: raw | superseded
assert (checked := nn.Linear(2, 2))  # checked: raw model

# What only one of the cases binds stays what it was on all other ways; so does what a guarded case does.
found = accelerator.prepare(nn.Linear(2, 2))
match command():
    case ["use", found]:  # found: raw | data
        pass
found = found  # found: prepared | raw | data
matched = nn.Linear(2, 2)
match flag:
    case _ if flag:
        matched = accelerator.prepare(matched)
matched = matched  # matched: raw | prepared
match flag:
    case 1 if guard := accelerator.prepare(nn.Linear(2, 2)):
        pass  # guard: prepared

# An exception may come anywhere in the body, not only in front of it or at its end.
tried = nn.Linear(2, 2)
try:
    tried = accelerator.prepare(tried)
    check()
    tried = None
except ValueError:  # tried: raw | prepared [handler-midway]
    pass
tried = nn.Linear(2, 2)
try:
    if flag:
        tried = accelerator.prepare(tried)
        raise ValueError
except ValueError:  # tried: raw | prepared [handler-of-raise]
    pass
tried = nn.Linear(2, 2)
try:
    tried = accelerator.prepare(tried)
finally:
    pass  # tried: raw | prepared [finally-of-exception]
tried = tried  # tried: prepared
tried = nn.Linear(2, 2)
with suppress(ValueError):
    tried = accelerator.prepare(tried)
tried = tried  # tried: raw | prepared [suppress]

# ``and`` and ``or`` may stop at the first operand.
lazy = nn.Linear(2, 2)
flag and accelerator.prepare(lazy)  # lazy: raw | superseded
