"""What every place holds at one point of the program.

A state maps *keys* to values. A key is an owner and a name: the owner of a variable is the frame of the running
function, the owner of an attribute or item is the object that has it. So two names for one trainer see the same
attributes, and an alias needs no code.
"""

from __future__ import annotations

from prepare_fix.flow.objects import NOTHING, ObjectId, Stage, Value

Key = tuple[ObjectId, str | int]
State = dict[Key, Value]

ANY_ITEM = "[*]"
"""The name under which a container keeps members whose position is not known."""
SOURCE = "[source]"
"""The name under which a view or bound method keeps what it was taken from."""
LENGTH = "[length]"
"""The name under which a container keeps its length, as one negative pseudo reference per possible length."""


def join(left: State, right: State) -> State:
    """Return what holds where two paths meet: every place may hold what it held on either."""
    if left is right:
        return dict(left)
    joined = dict(left)
    for key, value in right.items():
        other = joined.get(key)
        if other is None:
            joined[key] = value
        elif other is not value and other != value:
            joined[key] = other | value
    return joined


def changed_places(head: State, after: State) -> bool:
    """Return whether ``after`` adds something to a place that ``head`` knows.

    Places that only exist in ``after`` do not count: what a loop body binds first in itself is bound again in
    each round before it is read.
    """
    for key, value in head.items():
        other = after.get(key)
        if other is not None and other is not value and not other <= value:
            return True
    return False


def supersede(state: State, objects: frozenset[ObjectId]) -> None:
    """Move ``objects`` from RAW to SUPERSEDED wherever ``state`` holds them."""
    raw = frozenset((obj, Stage.RAW) for obj in objects)
    for key, value in state.items():
        hit = value & raw
        if hit:
            state[key] = (value - hit) | {(obj, Stage.SUPERSEDED) for obj, _ in hit}


def length_mark(length: int) -> Value:
    """Return the pseudo value that says a container has ``length`` members."""
    return frozenset({(-1 - length, Stage.RAW)})


def exact_length(state: State, container: ObjectId) -> int | None:
    """Return how many members ``container`` has, None where that is not one certain number."""
    marks = state.get((container, LENGTH), NOTHING)
    return -1 - next(iter(marks))[0] if len(marks) == 1 else None
