"""What a running function, a running loop and a call consist of."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from prepare_fix.flow.events import Surroundings
from prepare_fix.flow.objects import NOTHING, ObjectId, Value, union
from prepare_fix.flow.state import Changes, State

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class TraceLimitError(Exception):
    """The script is too entangled to follow; nothing is reported for it."""


@dataclass(eq=False, slots=True)
class Frame:
    """A running function (or the module): ``id`` owns its variables in the state."""

    id: ObjectId
    node: FunctionNode | None
    context: int
    closure: Frame | None
    is_class: bool = False
    outer_names: dict[str, Frame] = field(default_factory=dict)
    """Names declared ``global`` or ``nonlocal``, and the frame that they live in."""
    returned: Value = NOTHING
    yielded: Value = NOTHING
    depth: int = 0
    """Where its path begins in the state."""
    exits: list[Changes] = field(default_factory=list)
    """What it did on the ways that leave it from within a branch."""
    exits_in_place: bool = False
    """It also leaves at the end, or by a ``return`` in no branch."""
    method_class: ObjectId | None = None
    receiver: Value = NOTHING
    names: dict[str, int] = field(default_factory=dict)
    """Its variables, and how often each was bound so far."""
    switches: dict[str, ast.Constant] = field(default_factory=dict)
    """The parameters that this call gives a constant, as long as nothing else is assigned to them."""
    is_abroad: bool = False
    """It runs a function of another file."""
    is_captured: bool = False
    """A nested function may read its variables later."""

    def note_binding(self, name: str) -> None:
        """Count that a variable is bound."""
        self.names[name] = self.names.get(name, 0) + 1

    def leave(self, state: State) -> None:
        """Note a way out, by the end or a ``return``."""
        if state.depth == self.depth:
            self.exits_in_place = True
        else:
            self.exits.append(state.changes_since(self.depth))

    def join_exits(self, state: State) -> None:
        """Make ``state`` that of all ways out."""
        if not self.exits:
            state.keep()
            return
        end = state.undo()
        state.meet([*self.exits, end] if self.exits_in_place else self.exits)


@dataclass(eq=False, slots=True)
class Loop:
    """A running loop and the changes with which ``break`` and ``continue`` leave its body."""

    key: int
    depth: int = 0
    """Where the path of the running round begins in the state."""
    breaks: list[Changes] = field(default_factory=list)
    continues: list[Changes] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class OpenLoops:
    """What the rounds so far of an outermost loop and of those within it lead to."""

    ends: dict[tuple[object, ...], Changes] = field(default_factory=dict)
    """The changes of the last round of each loop, by its key and the way it was come to."""
    is_settled: bool = True
    """No loop has led to anything new in the running round of the outermost one."""


@dataclass(slots=True)
class Arguments:
    """The evaluated arguments of a call: positional ones (expression, value, starred), keywords, the rest."""

    positional: list[tuple[ast.expr | None, Value, bool]] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    spread: Value = NOTHING
    """What ``**mapping`` may hold."""
    nodes: dict[str, ast.expr] = field(default_factory=dict)
    """The expressions of the keywords."""
    is_open: bool = False
    """A star hides some of them: what is not written out may be given all the same."""

    _everything: Value | None = None

    @property
    def everything(self) -> Value:
        """All that is handed over, in one value."""
        if self._everything is None:
            values = [value for _, value, _ in self.positional]
            self._everything = union([self.spread, *values, *self.keywords.values()])
        return self._everything

    def first(self) -> Value:
        """The value of the first positional argument, or nothing."""
        return self.positional[0][1] if self.positional else NOTHING


@dataclass(eq=False, slots=True)
class Abroad:
    """The call in the checked file through which code of another file of the project runs."""

    call: ast.Call
    arguments: Arguments
    where: Surroundings

    def holder_of(self, numbers: frozenset[ObjectId]) -> ast.expr:
        """Return the argument that hands in one of the objects ``numbers``, the called expression where none does."""
        named = [(self.arguments.nodes[name], value) for name, value in self.arguments.keywords.items()]
        for node, value in [*((node, value) for node, value, _ in self.arguments.positional), *named]:
            if node is not None and any(number in numbers for number, _ in value):
                return node
        return self.call.func
