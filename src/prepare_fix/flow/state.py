"""What every place holds at one point of the program.

A state maps *keys* to values. A key is an owner and a name: the owner of a variable is the frame of the running
function, the owner of an attribute or item is the object that has it. So two names for one trainer see the same
attributes, and an alias needs no code.
"""

from __future__ import annotations

from collections.abc import Iterable

from prepare_fix.flow.objects import NOTHING, ObjectId, Ref, Stage, Value

Key = tuple[ObjectId, str | int]
Changes = dict[Key, Value | None]
"""What a path did to a state: the value that each key it wrote has in the end, None where it is gone."""

ANY_ITEM = "[*]"
"""The name under which a container keeps members whose position is not known."""
SOURCE = "[source]"
"""The name under which a view or bound method keeps what it was taken from."""
LENGTH = "[length]"
"""The name under which a container keeps its length, as one negative pseudo reference per possible length."""

MAX_ALTERNATIVES = 48
"""How many objects a place may hold before nothing is known of it.

Classes whose methods all rebind a model, each call with another result, come to thousands; scripts come to 32.
"""

_set = dict.__setitem__


def is_hidden(name: str | int) -> bool:
    """Return whether a name is one of those in brackets, under which no expression finds anything."""
    return isinstance(name, str) and name.startswith("[")


class State(dict[Key, Value]):
    """The places and what they may hold.

    There is one state; a path is tried by writing to it and undoing what was written. ``begin`` opens a layer that
    remembers what each key held before, ``undo`` closes it and returns the changes, so the price of a branch is that of
    what it writes. (Copies, of a thousand places each, took a third of the time of a large file.)
    """

    __slots__ = ("_crowded_keys", "_layers", "_old", "crowded", "names", "sought", "sought_keys")

    def __init__(self) -> None:
        super().__init__()
        self._old: Changes = {}
        """What the keys held that the innermost layer has written."""
        self._layers: list[Changes] = [self._old]
        self.names: dict[ObjectId, dict[str | int, None]] = {}
        """The names under which an owner ever had something, in order."""
        self.sought: set[Ref] = set()
        """The accelerators and prepared objects, whose places are asked for at every other use."""
        self.sought_keys: dict[Key, None] = {}
        """The keys that a place can be written for and that hold one of them, and some that held one before."""
        self.crowded: Value = NOTHING
        """The objects that were in a place that held too many: where they are is not known."""
        self._crowded_keys: set[Key] = set()

    def __setitem__(self, key: Key, value: Value) -> None:
        before = self.get(key)
        if before is value:
            return
        if len(value) > MAX_ALTERNATIVES and key[0]:  # not the calls so far, whose owner is no object
            self._crowded_keys.add(key)
        if key in self._crowded_keys:
            self.crowded |= value
            value = NOTHING
        if not value.isdisjoint(self.sought) and not is_hidden(key[1]):
            self.sought_keys[key] = None
        if key not in self._old:
            self._old[key] = before
            if before is None:
                self.names.setdefault(key[0], {})[key[1]] = None
        _set(self, key, value)

    def forget(self, key: Key) -> None:
        """Drop ``key`` if it is there."""
        before = self.pop(key, None)
        if before is not None:
            self._old.setdefault(key, before)

    def forget_variables(self, owner: ObjectId, names: Iterable[str]) -> None:
        """Drop the variables of a function that is left."""
        old = self._old
        for name in names:
            key = (owner, name)
            before = self.pop(key, None)
            self.sought_keys.pop(key, None)
            # What came and went within a layer is no change.
            if before is not None and old.setdefault(key, before) is None:
                del old[key]

    @property
    def depth(self) -> int:
        """How many paths have begun within each other."""
        return len(self._layers) - 1

    # --- paths --------------------------------------------------------------------------------------------------------

    def begin(self) -> int:
        """Begin a path; return its depth."""
        self._old = {}
        self._layers.append(self._old)
        return len(self._layers) - 1

    def undo(self) -> Changes:
        """End the innermost path: take its changes back, and return them."""
        old = self._layers.pop()
        self._old = self._layers[-1]
        changes: Changes = {}
        for key, before in old.items():
            changes[key] = self.get(key)
            if before is None:
                self.pop(key, None)
                self.sought_keys.pop(key, None)
            else:
                _set(self, key, before)
                if not before.isdisjoint(self.sought) and not is_hidden(key[1]):
                    self.sought_keys[key] = None
        return changes

    def keep(self) -> None:
        """End the innermost path: its changes become those of the path around it."""
        inner = self._layers.pop()
        self._old = outer = self._layers[-1]
        for key, before in inner.items():
            outer.setdefault(key, before)

    def changes_since(self, depth: int) -> Changes:
        """Return the changes of the path that began at ``depth``, those of the paths within it included."""
        return {key: self.get(key) for layer in self._layers[depth:] for key in layer}

    def meet(self, paths: list[Changes]) -> None:
        """Go on where ``paths``, all begun here, meet: every place may hold what it held on any of them."""
        if len(paths) == 1:
            for key, value in paths[0].items():
                if value is None:
                    self.forget(key)
                else:
                    self[key] = value
            return
        for key in {key: None for path in paths for key in path}:
            here = self.get(key)
            met: Value | None = None
            for path in paths:
                value = path.get(key, here)
                if met is None:
                    met = value
                elif value is not None and value is not met and value != met:
                    met |= value
            if met is None:
                self.forget(key)
            else:
                self[key] = met

    def is_widened_by(self, changes: Changes) -> bool:
        """Return whether ``changes`` add something to a place that is known here.

        Places that only exist in ``changes`` do not count: what a loop body binds first in itself is bound again in
        each round before it is read.
        """
        for key, after in changes.items():
            before = self.get(key)
            if before is not None and after is not None and after is not before and not after <= before:
                return True
        return False


NO_CHANGES: Changes = {}
"""A path on which nothing happens."""


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
