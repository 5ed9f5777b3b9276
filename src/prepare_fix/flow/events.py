"""What happens to objects while the script runs, in the order of the source."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple

from prepare_fix.flow.objects import ObjectId, Value
from prepare_fix.flow.place import Place


class UseKind(IntEnum):
    """What is done with an object: called, a method called, an attribute read, iterated, handed on to a call."""

    CALL = 0
    METHOD = 1
    ATTRIBUTE = 2
    ITERATE = 3
    ARGUMENT = 4


class Binding(Enum):
    """What becomes of the value of a prepare call."""

    UNPACKED = "unpacked"
    ONE_NAME = "one name"
    DISCARDED = "discarded"
    RETURNED = "returned"
    PASSED_ON = "passed on"


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that an event stands under: the test, and whether the branch is the one where it holds."""

    test: ast.expr
    holds: bool


class Surroundings(NamedTuple):  # like Use: tens of thousands are made, at a fourth of the price of a frozen dataclass
    """Where an event happens: call context, enclosing conditions of the running functions, running loops."""

    context: int
    statement: ast.stmt
    guards: tuple[Guard, ...]
    loops: tuple[int, ...]
    """Keys of the loops that are running, outermost first, over all functions on the stack."""
    gradients: bool
    """False under ``torch.no_grad`` and ``torch.inference_mode``."""
    accumulating: tuple[ast.AST, ...]
    """The ``accumulate``/``no_sync`` calls whose ``with`` blocks are open."""
    function: ast.AST | None
    """The definition whose body the event stands in, None at module level."""


class Use(NamedTuple):
    """``value`` holds every object (with its stage) that may be used here. ``name`` is the method or attribute;
    ``result`` the object that comes out. ``node`` is the expression that holds the object."""

    kind: UseKind
    name: str
    node: ast.expr
    call: ast.AST | None
    value: Value
    result: ObjectId | None
    where: Surroundings
    replacements: tuple[Place, ...] = ()
    """For an unwrapped object: the places that hold its prepared counterpart, and nothing else, here."""
    accelerators: tuple[Place, ...] = ()
    """For a prepared object and a ``name`` that its wrapper may hide: the places that hold an accelerator here."""
    holders: tuple[ast.expr, ...] = ()
    """Where a loop iterates: the names and attributes within ``node`` that give the object itself."""
    loop: int | None = None
    """The key of the loop that iterates, where ``kind`` is ITERATE and a loop does it."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One positional argument of a prepare call. ``place`` is None for anything but a name, attribute chain
    or constant subscript; ``members`` are the objects inside a display."""

    node: ast.expr
    value: Value
    place: Place | None
    starred: bool
    members: Value


@dataclass(frozen=True, slots=True)
class PrepareCall:
    """A call of ``prepare`` (or ``prepare_model`` and its like: ``method``).

    ``count`` is the number of objects handed over, None where a star hides it. ``results`` are the prepared
    objects by argument. ``before`` maps the places that can be written where the call stands to what they
    hold in front of it; ``earlier`` are the calls that may have run before on the same path.
    """

    key: int
    method: str
    node: ast.Call
    accelerator: frozenset[ObjectId]
    arguments: tuple[Argument, ...]
    count: int | None
    results: tuple[Value, ...]
    binding: Binding
    targets: tuple[Place | None, ...]
    target_nodes: tuple[ast.expr, ...]
    result_container: ObjectId | None
    before: dict[Place, Value]
    earlier: frozenset[int]
    where: Surroundings


@dataclass(frozen=True, slots=True)
class Backward:
    """``loss.backward(...)`` (``plain``), or ``accelerator.backward(loss)``. ``accelerators`` are the places that
    hold an accelerator where a plain one stands, ``owners`` the accelerators that the other kind is called on."""

    node: ast.Call
    plain: bool
    loss: Value
    loss_node: ast.expr
    where: Surroundings
    accelerators: tuple[Place, ...] = ()
    owners: frozenset[ObjectId] = frozenset()


@dataclass(frozen=True, slots=True)
class AcceleratorCall:
    """Any other method of an accelerator, and its arguments' values; ``earlier`` are the prepare calls that may have
    run before on the same path."""

    method: str
    node: ast.Call
    accelerator: frozenset[ObjectId]
    receiver: ast.expr
    arguments: tuple[Value, ...]
    where: Surroundings
    earlier: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class SymbolCall:
    """A call of something imported that a rule asks for by its dotted path (such as gradient clipping)."""

    path: str
    node: ast.Call
    arguments: tuple[Value, ...]
    where: Surroundings
    accelerators: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class AttributeWrite:
    """``base.name = value``: the target, what it is an attribute of, and what is put there.

    So is ``parameter.requires_grad_(...)``, which assigns to ``requires_grad``; it puts nothing of interest there.
    """

    node: ast.Attribute
    base: Value
    value: Value
    where: Surroundings


class StaleRead(NamedTuple):
    """A name or attribute that may give a superseded object; where it surely does, the places that hold its prepared
    counterpart there."""

    node: ast.expr
    value: Value
    replacements: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be followed: what it is, and the objects it touches (None: any)."""

    reason: str
    node: ast.AST
    touches: frozenset[ObjectId] | None


@dataclass(slots=True)
class EventLog:
    """The events of a run, keyed by place and call context: the last pass over a loop overwrites the earlier ones."""

    uses: dict[tuple[object, ...], Use] = field(default_factory=dict)
    prepare_calls: dict[int, PrepareCall] = field(default_factory=dict)
    backwards: dict[tuple[object, ...], Backward] = field(default_factory=dict)
    accelerator_calls: dict[tuple[object, ...], AcceleratorCall] = field(default_factory=dict)
    symbol_calls: dict[tuple[object, ...], SymbolCall] = field(default_factory=dict)
    writes: dict[tuple[object, ...], AttributeWrite] = field(default_factory=dict)
    """The assignments to attributes of objects that may be models, and of parameters."""
    stale_reads: dict[tuple[object, ...], StaleRead] = field(default_factory=dict)
    """The names and attributes that give a superseded object where they are read."""
    tuple_uses: dict[tuple[object, ...], Use] = field(default_factory=dict)
    """The uses of a container as if it were one object; ``result`` is the container."""
    accelerator_tests: set[int] = field(default_factory=set)
    """The names in conditions (by identity of the node) that hold an accelerator."""
    asked_before: dict[tuple[int, bool], Sequence[ast.stmt]] = field(default_factory=dict)
    """The branch that was taken when a condition was asked before: by identity of its node, and how it comes out."""
    gaps: list[Gap] = field(default_factory=list)
