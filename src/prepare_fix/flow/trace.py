"""The finished record of what happens to the objects of a script, and the questions that rules ask of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TypeVar

from prepare_fix.flow import recognise
from prepare_fix.flow.events import AcceleratorCall, Backward, PrepareCall, StaleRead, Surroundings, SymbolCall, Use, UseKind
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
        return self._owners(self.objects[self.root(optimizer)].built_from)

    def parameter_owners(self, number: ObjectId) -> frozenset[ObjectId]:
        """Return the raw models whose parameters ``number`` is, or holds."""
        return self._owners([number])

    def _owners(self, numbers: Iterable[ObjectId]) -> frozenset[ObjectId]:
        found: set[ObjectId] = set()
        seen: set[ObjectId] = set()
        todo = list(numbers)
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

    def is_wrapped_by_prepare(self, value: Value) -> bool:
        """Return whether prepare wraps whatever ``value`` may be; containers, iterators and functions come back as is."""
        kinds = {self.objects[number].kind for number, _ in value if number in self.objects}
        return bool(kinds) and kinds <= {Kind.OBJECT, Kind.PARAMETER, Kind.PART}

    def related(self, first: ObjectId, second: ObjectId) -> bool:
        """Return whether one of two objects went into the other (a wrapper and what it wraps), or they are one."""
        return first == second or first in self._ancestors(second) or second in self._ancestors(first)

    def _ancestors(self, number: ObjectId) -> set[ObjectId]:
        seen: set[ObjectId] = set()
        todo = [number]
        while todo:
            obj = self.objects[todo.pop()]
            # Who only takes the parameters of a model is not built around it: an optimizer is no wrapper.
            for source in obj.built_from if obj.kind is not Kind.PARAMS else ():
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

    def used_role(self, value: Value) -> Role:
        """Return the role that objects are used in behind a prepare call, whatever they are; UNKNOWN where that is unclear."""
        roles: set[Role] = set()
        for use in self.uses:
            if use.value <= value and use.value:
                if use.kind is UseKind.ITERATE and self.is_training(use):
                    roles.add(Role.DATALOADER)
                elif use.kind is UseKind.CALL and self.is_training(use):
                    roles.add(Role.MODEL)
                elif use.kind is UseKind.METHOD and use.name == "zero_grad":
                    roles.add(Role.OPTIMIZER)
        return roles.pop() if len(roles) == 1 else Role.UNKNOWN

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

    def comes_in_raw(self, number: ObjectId) -> bool:
        """Return whether an object is surely raw at first: made here, or handed to what builds the accelerator itself."""
        obj = self.objects[number]
        if obj.kind is Kind.PARAMETER and self._machine is not None:
            return self._machine.root_of(obj.context) in self._machine.roots_with_accelerator
        return obj.comes_in_raw

    def is_prepared_somehow(self, number: ObjectId) -> bool:
        """Return whether an object, something around it or something in it, is handed to a prepare call on some path."""
        return any(self.related(number, other) for other in self._calls_by_object)

    # --- stale objects --------------------------------------------------------------------------------------------------

    @cached_property
    def stale_uses(self) -> tuple[Use, ...]:
        """The uses through which a superseded object may train."""
        return tuple(use for use in self.uses if self._is_stale_use(use)) if self.backwards else ()

    def _is_stale_use(self, use: Use) -> bool:
        stale = [number for number, stage in use.value if stage is Stage.SUPERSEDED]
        if not stale or self.is_without_accelerator(use.where):
            return False
        if use.kind is UseKind.ITERATE:
            return self.is_training(use)
        if use.kind is UseKind.CALL:
            return self._is_bound_step(use) or self.is_training(use)
        roles = {self.role(number) for number in stale}
        if use.kind is UseKind.METHOD and use.name == "step":
            return bool(roles & {Role.OPTIMIZER, Role.SCHEDULER})
        return use.kind is UseKind.METHOD and use.name == "zero_grad" and bool(roles & {Role.OPTIMIZER, Role.MODEL})

    def stale_training_uses(self, call: PrepareCall) -> tuple[Use, ...]:
        """Return the training uses of objects that ``call`` has superseded, and that no call before it had."""
        roots = {self.root(number) for argument in call.arguments for number, _ in argument.value if number in self.objects}
        return tuple(
            use
            for use in self.stale_uses
            if any(self._superseded_root(number) in roots for number, stage in use.value if stage is Stage.SUPERSEDED)
        )

    def _superseded_root(self, number: ObjectId) -> ObjectId:
        """Return the object that was prepared: ``number`` itself, or what it is a part of."""
        while not self._calls_by_object.get(number) and self.objects[number].part_of is not None:
            part_of = self.objects[number].part_of
            assert part_of is not None
            number = self.root(part_of)
        return number

    def superseded_root(self, use: Use) -> ObjectId:
        """Return the first object that was prepared and is used raw in ``use``."""
        return min(self._superseded_root(number) for number, stage in use.value if stage is Stage.SUPERSEDED)

    def stale_reads_in(self, node: ast.AST) -> tuple[StaleRead, ...]:
        """Return the names and attributes within ``node`` that give nothing but a superseded object, in any context."""
        if self._machine is None:
            return ()
        inside = {id(each) for each in ast.walk(node)}
        reads: dict[int, list[StaleRead]] = {}
        for read in self._machine.log.stale_reads.values():
            if id(read.node) in inside:
                reads.setdefault(id(read.node), []).append(read)
        return tuple(
            group[0] for group in reads.values() if all(stage is Stage.SUPERSEDED for read in group for _, stage in read.value)
        )

    def handing_over(self, use: Use) -> tuple[StaleRead, ...]:
        """Return where the raw objects of ``use`` come in: the reads of an argument in the call that led to its function,
        or of what an iterator was made from."""
        wanted = {number for number, stage in use.value if stage is Stage.SUPERSEDED}
        sources: list[ast.AST] = [assign.value for assign in self.assignments_to(self.text(use.node))]
        context = use.where.context
        while self._machine is not None and context:
            node = self._machine.context_calls[context]
            sources += [node] if isinstance(node, ast.Call) else []
            context = self._machine.context_parents[context]
        for source in sources:
            reads = [r for r in self.stale_reads_in(source) if {number for number, _ in r.value} <= wanted and r.replacements]
            if reads:
                return tuple(reads)
        return ()

    def misused_tuple(self, call: PrepareCall) -> tuple[Use, ...]:
        """Return the uses of the tuple that ``call`` returns as one object; none where it is ever taken apart."""
        if self._machine is None or call.result_container in self._machine.taken_apart:
            return ()
        uses = self._machine.log.tuple_uses.values()
        return self._in_order(use for use in uses if use.result == call.result_container)

    def accumulated_stale(self) -> tuple[AcceleratorCall, ...]:
        """Return the ``accumulate`` and ``no_sync`` calls that are handed a superseded model."""
        if self._machine is None:
            return ()
        return self._in_order(
            call
            for call in self._machine.log.accelerator_calls.values()
            if call.method in recognise.ACCUMULATE_METHODS
            if any(stage is Stage.SUPERSEDED for value in call.arguments for _, stage in value)
        )

    # --- losses -----------------------------------------------------------------------------------------------------------

    def model_calls_behind(self, loss: Value) -> tuple[Use, ...]:
        """Return the calls of prepared or superseded models that a loss is computed from."""
        sources = self.sources_of(number for number, _ in loss)
        return tuple(
            use
            for use in self.uses
            if use.result in sources and use.kind in {UseKind.CALL, UseKind.METHOD, UseKind.ARGUMENT}
            if any(stage in {Stage.PREPARED, Stage.SUPERSEDED} for _, stage in use.value)
        )

    def divisions_behind(self, loss: Value) -> tuple[ast.AST, ...]:
        """Return the divisions between the outputs of models and the loss."""
        outputs = {use.result for use in self.uses if use.kind is UseKind.CALL and self.is_training(use)}
        seen: set[ObjectId] = set()
        found: list[ast.AST] = []
        todo = [number for number, _ in loss]
        while todo:
            number = todo.pop()
            obj = self.objects.get(number)
            if obj is None or number in seen:
                continue
            seen.add(number)
            if obj.name == "/" and obj.node is not None:
                found.append(obj.node)
            if number not in outputs or obj.name == "/":
                todo += obj.built_from if obj.kind in _DATA_KINDS else ()
        return tuple(found)

    def names_in(self, loss: Value) -> frozenset[str]:
        """Return the names (dotted paths of constructors) of everything that a loss is computed from."""
        return frozenset(self.objects[number].name for number in self.sources_of(number for number, _ in loss))

    # --- names in the text ------------------------------------------------------------------------------------------------

    def is_read(self, target: ast.expr, call: PrepareCall) -> bool:
        """Return whether something behind ``call`` reads the place that the call's ``target`` writes.

        A variable is looked for in the function of the call, an attribute in the whole file.
        """
        function = call.where.function if isinstance(target, ast.Name) else None
        area: ast.AST = function if function is not None else self._tree
        text, statement = ast.unparse(target), call.where.statement
        own = {id(node) for node in ast.walk(statement)}
        in_loop = bool(call.where.loops)
        return any(
            id(node) not in own
            and isinstance(node.ctx, ast.Load)
            and (in_loop or not isinstance(target, ast.Name) or _position(node) > _position(statement))
            and ast.unparse(node) == text
            for node in ast.walk(area)
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        )

    def import_of(self, name: str) -> ast.ImportFrom | None:
        """Return the only ``from`` import that binds ``name``, None where there is not just one."""
        found = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names)
        ]
        return found[0] if len(found) == 1 else None

    def readings(self, name: str) -> int:
        """Return how often the variable ``name`` is read in the file."""
        return sum(
            isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in ast.walk(self._tree)
        )

    def assignments_to(self, text: str) -> tuple[ast.Assign, ...]:
        """Return the plain assignments in the file whose only target is written ``text``."""
        return tuple(
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and ast.unparse(node.targets[0]) == text
        )

    def takes_only_parameters(self, statement: ast.stmt, places: Iterable[Place]) -> bool:
        """Return whether all that a statement does with ``places`` is to ask models for their parameters.

        Those are the same objects before and after prepare on one process and under DDP.
        """
        wanted = {str(place) for place in places}
        asked = {
            id(use.node)
            for use in self.uses
            if use.kind is UseKind.METHOD and use.name in recognise.PARAMETER_METHODS
        }
        return all(
            id(node) in asked
            for node in ast.walk(statement)
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and ast.unparse(node) in wanted
        )

    # --- order and conditions -----------------------------------------------------------------------------------------

    def may_follow(self, where: Surroundings, call: PrepareCall) -> bool:
        """Return whether what happens at ``where`` may come behind ``call``: later in the text, or in another function."""
        if where.function is not call.where.function:
            return True
        if _position(where.statement) > _position(call.where.statement):
            return True
        return bool(set(where.loops) & set(call.where.loops))

    def is_statement(self, call: ast.AST | None) -> bool:
        """Return whether a call is a statement of its own, so that nobody reads its value."""
        return call is not None and id(call) in self._bare_calls

    @cached_property
    def _bare_calls(self) -> frozenset[int]:
        return frozenset(id(node.value) for node in ast.walk(self._tree) if isinstance(node, ast.Expr))

    def is_without_accelerator(self, where: Surroundings) -> bool:
        """Return whether what happens at ``where`` stands in a branch for runs without an accelerator."""
        return any(_denies_accelerator(guard.test, guard.holds) for guard in where.guards)


def _denies_accelerator(test: ast.expr, holds: bool) -> bool:
    """Return whether ``test`` coming out as ``holds`` means that there is no accelerator."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _denies_accelerator(test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And) is holds
        return every and any(_denies_accelerator(value, holds) for value in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        if is_none and isinstance(test.ops[0], (ast.Is, ast.Eq)):
            return _denies_accelerator(test.left, not holds)
        if is_none and isinstance(test.ops[0], (ast.IsNot, ast.NotEq)):
            return _denies_accelerator(test.left, holds)
        return False
    name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return "accelerat" in name.lower() and not holds


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
