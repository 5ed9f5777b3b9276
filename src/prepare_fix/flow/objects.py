"""The objects that a script makes and hands around, and the stages they go through."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, IntEnum


class Role(Enum):
    """What an object is to the training loop. Rules about roles are silent on ``UNKNOWN``."""

    MODEL = "model"
    OPTIMIZER = "optimizer"
    DATALOADER = "DataLoader"
    SCHEDULER = "scheduler"
    UNKNOWN = "object"


class Stage(IntEnum):
    """How far an object has come (a typestate; it travels with the value)."""

    RAW = 0
    SUPERSEDED = 1
    """Raw, and a prepare call has returned its replacement."""
    PREPARED = 2
    UNWRAPPED = 3
    """The bare model behind a prepared one, as ``unwrap_model`` gives it."""


class Kind(IntEnum):
    """How the trace treats an object. Kinds are looked up all the time, and an ``IntEnum`` hashes at C speed."""

    OBJECT = 0
    PARAMETER = 1
    PART = 2
    """An attribute of another object that nobody in the file assigned."""
    DERIVED = 3
    """Data computed from others: batches, losses, numbers."""
    PARAMS = 4
    """What ``model.parameters()`` and its like give."""
    VIEW = 5
    """Something that iterates another object: ``iter``, ``enumerate``, ``tqdm``, a generator around a loader."""
    METHOD = 6
    """A bound method taken as a value."""
    CONTAINER = 7
    FUNCTION = 8
    CLASS = 9
    INSTANCE = 10
    """An instance of a class of this file whose methods are followed."""
    SYMBOL = 11
    """A name from another module, by its dotted path."""
    ACCELERATOR = 12


OPAQUE_KINDS = frozenset({Kind.OBJECT, Kind.PARAMETER, Kind.PART})
"""The kinds whose uses are recorded: things that may turn out to be a model, optimizer, loader or scheduler."""

DATA_KINDS = frozenset({Kind.DERIVED, Kind.PARAMS})
"""The kinds whose attributes, items and members are no objects of their own."""

ObjectId = int
Ref = tuple[ObjectId, Stage]
"""An object and the stage it is in: always joined as a pair."""
Value = frozenset[Ref]
"""What a place may hold. Empty: nothing that matters (constants, builtins)."""

NOTHING: Value = frozenset()


@dataclass(eq=False, slots=True)
class TrackedObject:
    """One object, named by where and in which call it is created, so that a helper called twice makes two.

    ``built_from`` are the objects that went into it: the model of an optimizer, the inputs of a loss.
    ``prepared_from`` is the raw object that a prepared one came from. ``role`` is what its constructor
    says; the finished trace adds the evidence of use.
    """

    id: ObjectId
    kind: Kind
    node: ast.AST | None
    context: int
    name: str = ""
    built_from: set[ObjectId] = field(default_factory=set)
    role: Role = Role.UNKNOWN
    prepared_from: ObjectId | None = None
    part_of: ObjectId | None = None
    is_many: bool = False
    """Made in a loop or comprehension: stands for as many objects as there are rounds."""
    is_detached: bool = False
    """No gradient flows back from it to what it was built from: ``detach``, or made under ``no_grad``."""
    comes_in_raw: bool = True
    """False for a parameter whose caller may hand in a prepared object."""
    raw: Value = field(init=False)
    """The value that holds just this object, raw: made once, it is asked for all the time."""

    def __post_init__(self) -> None:
        self.raw = frozenset({(self.id, Stage.RAW)})


def ref(obj: TrackedObject) -> Value:
    """Return the value that holds just ``obj``, raw."""
    return obj.raw


def union(values: Iterable[Value]) -> Value:
    """Return what any of ``values`` holds; the very value where only one holds something, since its hash is known."""
    full = [value for value in values if value]
    if not full:
        return NOTHING
    return full[0] if len(full) == 1 else full[0].union(*full[1:])
