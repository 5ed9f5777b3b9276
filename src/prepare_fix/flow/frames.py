"""What a running function, a running loop and a call consist of."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from prepare_fix.flow.objects import NOTHING, ObjectId, Value
from prepare_fix.flow.state import State

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
    exit_states: list[State] = field(default_factory=list)
    method_class: ObjectId | None = None
    receiver: Value = NOTHING
    names: set[str] = field(default_factory=set)
    switches: dict[str, ast.Constant] = field(default_factory=dict)
    """The parameters that this call gives a constant, as long as nothing else is assigned to them."""
    is_captured: bool = False
    """A nested function may read its variables later."""


@dataclass(eq=False, slots=True)
class Loop:
    """A running loop and the states in which ``break`` and ``continue`` leave its body."""

    key: int
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)


@dataclass(slots=True)
class Arguments:
    """The evaluated arguments of a call: positional ones (expression, value, starred), keywords, the rest."""

    positional: list[tuple[ast.expr | None, Value, bool]] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    spread: Value = NOTHING
    """What ``**mapping`` may hold."""
    nodes: dict[str, ast.expr] = field(default_factory=dict)
    """The expressions of the keywords."""

    @property
    def everything(self) -> Value:
        """All that is handed over, in one value."""
        values = [value for _, value, _ in self.positional]
        return self.spread.union(*values, *self.keywords.values())

    def first(self) -> Value:
        """The value of the first positional argument, or nothing."""
        return self.positional[0][1] if self.positional else NOTHING
