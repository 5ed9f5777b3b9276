"""The finished record of what happens to the objects of a script, and the questions that rules ask of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TypeVar

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Backward, PrepareCall, SymbolCall, Use, UseKind
from prepare_fix.flow.machine import TraceLimitError
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, TrackedObject, Value
from prepare_fix.flow.outline import Outline
from prepare_fix.flow.place import Place
from prepare_fix.flow.statements import Statements
from prepare_fix.repairs import Site
from prepare_fix.sources.text import SourceText, Span

_Event = TypeVar("_Event")

STEPPING = frozenset({"step", "zero_grad"})
"""The methods through which an optimizer trains."""

# What data passes through on its way to the loss; anything else ends the way back from it.
_DATA_KINDS = frozenset({Kind.DERIVED, Kind.CONTAINER, Kind.VIEW, Kind.OBJECT, Kind.PART, Kind.PARAMS})


class Trace:
    """What happens to each object of one script. All spans are offsets in characters of ``source``."""

    def __init__(self, source: SourceText, tree: ast.Module, machine: Statements | None) -> None:
        self.source = source
        self._tree = tree
        self._machine = machine
        self._spans: dict[int, Span] = {}

    # --- events -------------------------------------------------------------------------------------------------

    @cached_property
    def objects(self) -> dict[ObjectId, TrackedObject]:
        """All objects, by number."""
        return self._machine.objects if self._machine is not None else {}

    @cached_property
    def prepare_calls(self) -> tuple[PrepareCall, ...]:
        """The prepare calls, in the order of the source; one more for each way a function is reached."""
        return self._in_order(self._machine.log.prepare_calls.values()) if self._machine is not None else ()

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The uses of objects that may matter, in the order of the source."""
        return self._in_order(self._machine.log.uses.values()) if self._machine is not None else ()

    @cached_property
    def backwards(self) -> tuple[Backward, ...]:
        """The backward calls, plain ones and those of an accelerator."""
        return self._in_order(self._machine.log.backwards.values()) if self._machine is not None else ()

    @cached_property
    def symbol_calls(self) -> tuple[SymbolCall, ...]:
        """The calls of imported functions that rules ask for."""
        return self._in_order(self._machine.log.symbol_calls.values()) if self._machine is not None else ()

    def accelerator_methods(self) -> frozenset[str]:
        """Return the names of the accelerator methods that the script calls (other than prepare and backward)."""
        if self._machine is None:
            return frozenset()
        return frozenset(call.method for call in self._machine.log.accelerator_calls.values())

    def _in_order(self, events: Iterable[_Event]) -> tuple[_Event, ...]:
        key: Callable[[_Event], tuple[int, int]] = lambda event: _position(event.node)  # type: ignore[attr-defined]  # noqa: E731
        return tuple(sorted(events, key=key))

    # --- places in the source -------------------------------------------------------------------------------------

    def span(self, node: ast.AST) -> Span:
        """Return the span of a node."""
        known = self._spans.get(id(node))
        if known is None:
            assert isinstance(node, (ast.expr, ast.stmt, ast.arg))
            assert node.end_lineno is not None and node.end_col_offset is not None
            start = self.source.offset(node.lineno, node.col_offset)
            known = Span(start, self.source.offset(node.end_lineno, node.end_col_offset))
            self._spans[id(node)] = known
        return known

    def text(self, node: ast.AST) -> str:
        """Return the source of a node."""
        return self.source.slice(self.span(node))

    def line(self, node: ast.AST) -> int:
        """Return the line (from 1) on which a node begins."""
        return getattr(node, "lineno", 1)

    def site(self, call: PrepareCall) -> Site:
        """Return the place of a prepare call, for repairs."""
        return Site(self.span(call.node), self.span(call.where.statement))

    @cached_property
    def outline(self) -> Outline:
        """Where the statements stand."""
        return Outline(self._tree)

    def scope(self, statement: ast.stmt) -> str:
        """Return the dotted name of the definition around a statement, empty at module level."""
        return self.outline.spot(statement).scope

    def created_at(self, number: ObjectId) -> Span | None:
        """Return where an object is created; None for one that comes from outside."""
        node = self.objects[number].node
        return self.span(node) if isinstance(node, (ast.expr, ast.stmt, ast.arg)) else None

    def creation_statement(self, number: ObjectId) -> ast.stmt | None:
        """Return the simple statement in which an object is created."""
        node = self.objects[number].node
        if node is None:
            return None
        return self._statement_of.get(id(node))

    @cached_property
    def _statement_of(self) -> dict[int, ast.stmt]:
        found: dict[int, ast.stmt] = {}
        for statement in ast.walk(self._tree):
            if isinstance(statement, ast.stmt) and not hasattr(statement, "body"):
                for node in ast.walk(statement):
                    found[id(node)] = statement
        return found

    def mentions(self, statement: ast.stmt, places: Iterable[Place]) -> bool:
        """Return whether ``statement`` reads or writes one of ``places``, or something below or above it."""
        wanted = [str(place) for place in places]
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
                text = ast.unparse(node)
                if any(text == each or each.startswith((f"{text}.", f"{text}[")) and isinstance(node, ast.Name) and text != "self" for each in wanted):
                    return True
        return False

    # --- roles ------------------------------------------------------------------------------------------------------

    def role(self, number: ObjectId) -> Role:
        """Return the role of an object: what its constructor says, else what is done with it."""
        root = self.root(number)
        known = self.objects[root].role
        return known if known is not Role.UNKNOWN else self._roles_by_use.get(root, Role.UNKNOWN)

    @cached_property
    def _roles_by_use(self) -> dict[ObjectId, Role]:
        methods: dict[ObjectId, set[str]] = {}
        roles: dict[ObjectId, Role] = {}
        for use in self.uses:
            for number, _ in use.value:
                root = self.root(number)
                if use.kind is UseKind.METHOD:
                    bare = isinstance(use.call, ast.Call) and not use.call.args and not use.call.keywords
                    methods.setdefault(root, set()).add(use.name if bare or use.name != "step" else "step(...)")
                elif use.kind is UseKind.ITERATE and self.is_training(use):
                    roles.setdefault(root, Role.DATALOADER)
                elif use.kind is UseKind.CALL and self.is_training(use):
                    methods.setdefault(root, set()).add("()")
        for root, names in methods.items():
            if {"step", "zero_grad"} <= names and self.models_of(root):
                roles[root] = Role.OPTIMIZER
            elif names & {"step", "step(...)"} and self._direct_optimizers(root):
                roles[root] = Role.SCHEDULER
            elif "()" in names and names & (recognise.PARAMETER_METHODS | {"train", "zero_grad"}):
                roles[root] = Role.MODEL
        for number in self._trained_by_optimizers:
            roles.setdefault(number, Role.MODEL)
        return roles

    @cached_property
    def _trained_by_optimizers(self) -> frozenset[ObjectId]:
        known = (number for number, obj in self.objects.items() if obj.role is Role.OPTIMIZER)
        return frozenset(model for number in known for model in self.models_of(number))

    def _direct_optimizers(self, number: ObjectId) -> set[ObjectId]:
        sources = {self.root(source) for source in self.objects[number].built_from if source in self.objects}
        return {source for source in sources if self.objects[source].role is Role.OPTIMIZER}

    def root(self, number: ObjectId) -> ObjectId:
        """Return the raw object behind a prepared one, any other as it is."""
        obj = self.objects[number]
        return obj.prepared_from if obj.prepared_from is not None else number

    def models_of(self, optimizer: ObjectId) -> frozenset[ObjectId]:
        """Return the objects whose parameters went into ``optimizer`` (raw ones, and wholes rather than parts)."""
        found: set[ObjectId] = set()
        seen: set[ObjectId] = set()
        todo = list(self.objects[self.root(optimizer)].built_from)
        while todo:
            number = todo.pop()
            if number in seen or number not in self.objects:
                continue
            seen.add(number)
            obj = self.objects[number]
            if obj.kind is Kind.PARAMS:
                found |= {self.whole(self.root(source)) for source in obj.built_from}
            elif obj.kind in {Kind.CONTAINER, Kind.VIEW}:
                todo += self._contained.get(number, ())
                todo += obj.built_from
            elif obj.kind is Kind.DERIVED or (obj.kind is Kind.OBJECT and obj.role is Role.UNKNOWN):
                todo += obj.built_from
        return frozenset(found)

    @cached_property
    def _contained(self) -> dict[ObjectId, set[ObjectId]]:
        """What was ever put into a container or view."""
        return self._machine.contents if self._machine is not None else {}

    def whole(self, number: ObjectId) -> ObjectId:
        """Return the object that ``number`` is a part of, at any depth."""
        obj = self.objects[number]
        while obj.part_of is not None and self.objects[obj.part_of].kind is not Kind.INSTANCE:
            whole = self.objects[self.root(obj.part_of)]
            if whole.kind is Kind.PARAMETER and whole.role is Role.UNKNOWN and obj.role is not Role.UNKNOWN:
                break
            obj = whole
        return obj.id

    # --- prepared or not ----------------------------------------------------------------------------------------------

    @cached_property
    def _calls_by_object(self) -> dict[ObjectId, list[PrepareCall]]:
        found: dict[ObjectId, list[PrepareCall]] = {}
        for call in self.prepare_calls:
            for argument in call.arguments:
                for number, _ in argument.value | argument.members:
                    if number in self.objects:
                        calls = found.setdefault(self.root(number), [])
                        if call not in calls:
                            calls.append(call)
        return found

    def prepared_with(self, number: ObjectId) -> tuple[PrepareCall, ...]:
        """Return the prepare calls that an object is handed to, on whatever path."""
        return tuple(self._calls_by_object.get(self.root(number), ()))

    def related(self, first: ObjectId, second: ObjectId) -> bool:
        """Return whether one of two objects went into the other (a wrapper and what it wraps), or they are one."""
        return first == second or first in self._ancestors(second) or second in self._ancestors(first)

    def _ancestors(self, number: ObjectId) -> set[ObjectId]:
        seen: set[ObjectId] = set()
        todo = [number]
        while todo:
            for source in self.objects[todo.pop()].built_from:
                if source in self.objects:
                    source = self.root(source)
                    if source not in seen:
                        seen.add(source)
                        todo += [source, *self._contained.get(source, ())]
                        seen.update(self._contained.get(source, ()))
        return seen

    def is_touched_by_gap(self, number: ObjectId) -> bool:
        """Return whether something that could not be followed may have changed what is known of an object."""
        if self._machine is None:
            return True
        root = self.root(number)
        return any(gap.touches is None or root in gap.touches for gap in self._machine.log.gaps)

    # --- training -----------------------------------------------------------------------------------------------------

    @cached_property
    def _training_loops(self) -> frozenset[int]:
        return frozenset(key for backward in self.backwards for key in backward.where.loops)

    @cached_property
    def into_backward(self) -> frozenset[ObjectId]:
        """The data and objects that a loss is computed from."""
        return self.sources_of(number for backward in self.backwards for number, _ in backward.loss)

    def sources_of(self, numbers: Iterable[ObjectId]) -> frozenset[ObjectId]:
        """Return the data that ``numbers`` are computed from, themselves included."""
        seen: set[ObjectId] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            obj = self.objects.get(number)
            if obj is None or number in seen:
                continue
            seen.add(number)
            if obj.kind in _DATA_KINDS and obj.role is Role.UNKNOWN and obj.prepared_from is None:
                todo += obj.built_from
                todo += self._contained.get(number, ())
        return frozenset(seen)

    def is_training(self, use: Use) -> bool:
        """Return whether a use can reach a backward: its result flows to one, or it is what a training loop walks."""
        if use.result is not None and use.result in self.into_backward and use.where.gradients:
            return True
        if use.kind is UseKind.ITERATE and use.loop is not None:
            return use.loop in self._training_loops
        return False

    def trains(self) -> bool:
        """Return whether the script has a backward or steps an optimizer at all."""
        return bool(self.backwards)

    def steps_of(self, optimizer: ObjectId) -> tuple[Use, ...]:
        """Return the uses in which an optimizer, through whatever name, is stepped."""
        root = self.root(optimizer)
        return tuple(
            use
            for use in self.uses
            if (use.kind is UseKind.METHOD and use.name == "step") or self._is_bound_step(use)
            if any(self.root(self.holder(number)) == root for number, _ in use.value)
        )

    def _is_bound_step(self, use: Use) -> bool:
        return use.kind is UseKind.CALL and all(self.objects[number].name == "step" for number, _ in use.value)

    def holder(self, number: ObjectId) -> ObjectId:
        """Return the object that a bound method or part belongs to; any other object as it is."""
        obj = self.objects[number]
        return obj.part_of if obj.part_of is not None and obj.name in STEPPING else number

    def uses_of(self, number: ObjectId) -> tuple[Use, ...]:
        """Return the uses of an object, raw and prepared."""
        root = self.root(number)
        return tuple(use for use in self.uses if any(self.root(each) == root for each, _ in use.value))

    def iterator_of(self, predicate: Callable[[Use], bool]) -> Iterator[Use]:
        """Yield the uses that fulfil ``predicate``."""
        return (use for use in self.uses if predicate(use))


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def build_trace(source: SourceText) -> Trace:
    """Follow the objects of a script.

    A script that no cap would end gives a trace without events.

    Raises:
        SyntaxError: the running Python cannot parse the text.
    """
    tree = ast.parse(source.text)
    machine: Statements | None = Statements(source, tree)
    try:
        assert machine is not None
        machine.run_module()
    except TraceLimitError:
        machine = None
    return Trace(source, tree, machine)


__all__ = ["STEPPING", "Stage", "Trace", "Value", "build_trace"]
