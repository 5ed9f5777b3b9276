"""What every place holds at one point of the program.

A state maps *keys* to values. A key is an owner and a name: the owner of a variable is the frame of the running
function, the owner of an attribute or item is the object that has it. So two names for one trainer see the same
attributes, and an alias needs no code.
"""

from __future__ import annotations

from prepare_fix.flow.objects import NOTHING, ObjectId, Stage, Value

Key = tuple[ObjectId, str | int]

ANY_ITEM = "[*]"
"""The name under which a container keeps members whose position is not known."""
SOURCE = "[source]"
"""The name under which a view or bound method keeps what it was taken from."""
LENGTH = "[length]"
"""The name under which a container keeps its length, as one negative pseudo reference per possible length."""


class State(dict[Key, Value]):
    """The places and what they may hold.

    ``dirty`` are the keys written since the innermost point where paths parted, so that where they meet again nothing
    else is compared. A state that leaves by ``return``, ``break`` or ``continue`` takes along all that was written since
    its function began.
    """

    __slots__ = ("dirty",)

    def __init__(self, other: State | None = None) -> None:
        if other is None:
            super().__init__()
            self.dirty: set[Key] = set()
        else:
            super().__init__(other)
            self.dirty = set(other.dirty)

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.dirty.add(key)

    def __delitem__(self, key: Key) -> None:
        super().__delitem__(key)
        self.dirty.add(key)

    def forget(self, key: Key) -> None:
        """Drop ``key`` if it is there."""
        if key in self:
            del self[key]


def join(left: State, right: State) -> State:
    """Return what holds where two paths of one function meet: every place may hold what it held on either."""
    joined = State(left)
    absorb(joined, right)
    return joined


def absorb(left: State, right: State) -> None:
    """Make ``left`` what holds where it meets ``right``."""
    get_left, get_right = left.get, right.get
    for key in left.dirty | right.dirty:
        one, other = get_left(key), get_right(key)
        if other is one or other is None:
            continue
        if one is None:
            left[key] = other
        elif other != one:
            left[key] = one | other
    left.dirty |= right.dirty


def changed_places(head: State, after: State) -> bool:
    """Return whether ``after`` adds something to a place that ``head`` knows.

    Places that only exist in ``after`` do not count: what a loop body binds first in itself is bound again in
    each round before it is read.
    """
    for key in after.dirty:
        value, other = head.get(key), after.get(key)
        if value is not None and other is not None and other is not value and not other <= value:
            return True
    return False


def supersede(state: State, objects: frozenset[ObjectId]) -> None:
    """Move ``objects`` from RAW to SUPERSEDED wherever ``state`` holds them."""
    raw = frozenset((obj, Stage.RAW) for obj in objects)
    hits = [(key, value & raw) for key, value in state.items() if not value.isdisjoint(raw)]
    for key, hit in hits:
        state[key] = (state[key] - hit) | {(obj, Stage.SUPERSEDED) for obj, _ in hit}


def length_mark(length: int) -> Value:
    """Return the pseudo value that says a container has ``length`` members."""
    return frozenset({(-1 - length, Stage.RAW)})


def exact_length(state: State, container: ObjectId) -> int | None:
    """Return how many members ``container`` has, None where that is not one certain number."""
    marks = state.get((container, LENGTH), NOTHING)
    return -1 - next(iter(marks))[0] if len(marks) == 1 else None
