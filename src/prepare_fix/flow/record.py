"""What the interpreter saw, and where it stands in the source: the ground of all questions to the trace."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Protocol, TypeVar

from prepare_fix.flow.binding import is_bound_by, is_bound_in, is_bound_somewhere, is_surely_bound, leaves_bound
from prepare_fix.flow.events import Backward, EventLog, PrepareCall, Surroundings, SymbolCall, Use
from prepare_fix.flow.objects import ObjectId, TrackedObject
from prepare_fix.flow.outline import Outline, statements_of
from prepare_fix.flow.place import Place
from prepare_fix.flow.statements import Statements
from prepare_fix.repairs import Site
from prepare_fix.sources.text import SourceText, Span


class _Event(Protocol):
    @property
    def node(self) -> ast.AST: ...


_AnyEvent = TypeVar("_AnyEvent", bound=_Event)


class Record:
    """The events of one script. All spans are offsets in characters of ``source``."""

    def __init__(self, source: SourceText, tree: ast.Module, machine: Statements | None) -> None:
        self.source = source
        self._tree = tree
        self._machine = machine
        self._log = machine.log if machine is not None else EventLog()
        self._spans: dict[int, Span] = {}

    @cached_property
    def objects(self) -> dict[ObjectId, TrackedObject]:
        """All objects, by number."""
        return self._machine.objects if self._machine is not None else {}

    @cached_property
    def prepare_calls(self) -> tuple[PrepareCall, ...]:
        """The prepare calls, in the order of the source; one more for each way a function is reached."""
        return self._in_order(self._log.prepare_calls.values())

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """The uses of objects that may matter, in the order of the source."""
        return self._in_order(self._log.uses.values())

    @cached_property
    def backwards(self) -> tuple[Backward, ...]:
        """The backward calls, plain ones and those of an accelerator."""
        return self._in_order(self._log.backwards.values())

    @cached_property
    def symbol_calls(self) -> tuple[SymbolCall, ...]:
        """The calls of imported functions that rules ask for."""
        return self._in_order(self._log.symbol_calls.values())

    def accelerator_methods(self) -> frozenset[str]:
        """Return the names of the accelerator methods that the script calls (other than prepare and backward)."""
        return frozenset(call.method for call in self._log.accelerator_calls.values())

    def _in_order(self, events: Iterable[_AnyEvent]) -> tuple[_AnyEvent, ...]:
        return tuple(sorted(events, key=lambda event: _position(event.node)))

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

    def when(self, node: ast.AST, context: int) -> tuple[tuple[int, int], ...]:
        """Return when a node is done with in a call context: where the calls that lead there end, then where it does.

        What is handed to a call is evaluated before, and ends before it. A statement counts from where it begins.
        """
        positions = [_done_at(node)]
        while self._machine is not None and context:
            call = self._machine.context_calls[context]
            if call is not None:
                positions.append(_done_at(call))
            context = self._machine.context_parents[context]
        return tuple(reversed(positions))

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
        return self.statement_of(node)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes, as ``ast.walk`` gives them: a walk takes half as long as parsing, so there is only one."""
        return tuple(ast.walk(self._tree))

    @cached_property
    def statements(self) -> tuple[ast.stmt, ...]:
        """The statements among the nodes, in the same order."""
        return statements_of(self._tree)

    def statement_of(self, node: ast.AST) -> ast.stmt | None:
        """Return the simple statement that an expression stands in."""
        spans = self._simple_statements
        position = _position(node)
        index = bisect_right(spans, position, key=_position) - 1
        if index < 0 or _end(spans[index]) < position:
            return None
        return spans[index]

    @cached_property
    def _simple_statements(self) -> list[ast.stmt]:
        return sorted((each for each in self.statements if not hasattr(each, "body")), key=_position)

    def mentions(self, statement: ast.stmt, places: Iterable[Place]) -> bool:
        """Return whether ``statement`` reads or writes one of ``places``, or something below or above it."""
        wanted = {str(place) for place in places}
        above = {str(place).split(".")[0].split("[")[0] for place in places if place.path} - {"self"}
        return any(
            ast.unparse(node) in wanted or (isinstance(node, ast.Name) and node.id in above)
            for node in ast.walk(statement)
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        )

    def places_in(self, node: ast.AST) -> tuple[ast.expr, ...]:
        """Return the names, attributes and subscripts within ``node``."""
        return tuple(each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Attribute, ast.Subscript)))

    def is_statement(self, call: ast.AST | None) -> bool:
        """Return whether a call is a statement of its own, so that nobody reads its value."""
        return call is not None and id(call) in self._bare_calls

    @cached_property
    def _bare_calls(self) -> frozenset[int]:
        return frozenset(id(node.value) for node in self.statements if isinstance(node, ast.Expr))

    def may_follow(self, where: Surroundings, call: PrepareCall) -> bool:
        """Return whether what happens at ``where`` may come behind ``call``: later in the text, or elsewhere."""
        if where.function is not call.where.function:
            return True
        if _position(where.statement) > _position(call.where.statement):
            return True
        return bool(set(where.loops) & set(call.where.loops))

    def is_bound_before(self, place: Place, call: PrepareCall) -> bool:
        """Return whether ``place`` surely exists where ``call`` stands; an attribute may be bound by another method."""
        function = call.where.function if call.where.function is not None else self._tree
        text = str(place)
        if is_surely_bound(function, text, call.where.statement):
            return True
        taken = [self._log.asked_before.get((id(guard.test), guard.holds), ()) for guard in call.where.guards]
        if any(is_bound_in(body, text) for body in taken):
            return True
        if not place.path or call.where.function is None:
            return False
        return any(is_bound_by(each, text) for each in self._functions if each is not function)

    def is_at_hand(self, accelerator: str, statement: ast.stmt) -> bool:
        """Return whether the place written ``accelerator`` surely holds one where ``statement`` stands.

        A script may run without an accelerator: its name is then unbound, or None. What the file binds nowhere, an
        inherited attribute say, is taken to be there.
        """
        around = self._functions_around(statement)
        if "." in accelerator or "[" in accelerator:
            binders = [each for each in (*self._functions, self._tree) if is_bound_somewhere(each, accelerator)]
            if not binders or any(leaves_bound(each, accelerator) for each in binders):
                return True
            return is_surely_bound(around[0], accelerator, statement, even_none=False)
        binder = next((each for each in around if is_bound_somewhere(each, accelerator)), None)
        if binder is None:
            return True
        if binder is around[0]:
            return is_surely_bound(binder, accelerator, statement, even_none=False)
        return leaves_bound(binder, accelerator)

    @cached_property
    def _functions(self) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
        return tuple(each for each in self.statements if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))

    def _functions_around(self, statement: ast.stmt) -> list[ast.AST]:
        """Return the functions around ``statement``, the innermost first, and the module."""
        found: list[ast.AST] = []
        node: ast.AST | None = self._parents.get(id(statement))
        while node is not None:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
                found.append(node)
            node = self._parents.get(id(node))
        return found

    def may_follow_statement(self, statement: ast.stmt, call: PrepareCall) -> bool:
        """Return whether ``statement`` stands behind ``call`` in the text."""
        return _position(statement) > _position(call.where.statement)

    @cached_property
    def _parents(self) -> dict[int, ast.AST]:
        return {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}

    def other_arms(self, node: ast.AST) -> list[ast.AST]:
        """Return what runs instead of ``node``: the other arms of the conditions around it, in its function, and of
        conditions in front of it whose arm leaves."""
        found: list[ast.AST] = []
        child: ast.AST = node
        while not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            parent = self._parents.get(id(child))
            if parent is None:
                break
            if isinstance(parent, (ast.IfExp, ast.BoolOp)):
                found += [each for each in ast.iter_child_nodes(parent) if each is not child]
            elif isinstance(parent, ast.If):
                found += parent.orelse if child in parent.body else parent.body
            elif isinstance(parent, ast.match_case):
                match = self._parents[id(parent)]
                found += [case for case in ast.iter_child_nodes(match) if case is not parent]
            if isinstance(child, ast.stmt):
                spot = self.outline.spot(child)
                found += [each for each in spot.siblings[: spot.index] if _leaves(each)]
            child = parent
        return found

    def has_other_way(self, node: ast.AST, method: str) -> bool:
        """Return whether another arm of a condition around ``node`` calls the method of an accelerator that does it."""
        return any(
            isinstance(each, ast.Attribute) and each.attr == method and "acc" in ast.unparse(each.value).lower()
            for arm in self.other_arms(node)
            for each in ast.walk(arm)
        )

    def is_on_one_process(self, where: Surroundings) -> bool:
        """Return whether what happens at ``where`` stands under a condition that only one process fulfils."""
        return any(guard.holds and "main_process" in self.text(guard.test) for guard in where.guards)

    def is_without_accelerator(self, where: Surroundings) -> bool:
        """Return whether what happens at ``where`` stands in a branch for runs without an accelerator."""
        return any(_denies_accelerator(guard.test, guard.holds, self._log.accelerator_tests) for guard in where.guards)

    def is_read(self, target: ast.expr, call: PrepareCall) -> bool:
        """Return whether something behind ``call`` reads the place that the call's ``target`` writes.

        A variable is looked for in the function of the call, an attribute in the whole file.
        """
        function = call.where.function if isinstance(target, ast.Name) else None
        text, statement = ast.unparse(target), call.where.statement
        own = {id(node) for node in ast.walk(statement)}
        in_loop = bool(call.where.loops)
        return any(
            id(node) not in own
            and isinstance(node.ctx, ast.Load)
            and (in_loop or not isinstance(target, ast.Name) or _position(node) > _position(statement))
            and ast.unparse(node) == text
            for node in (self.nodes if function is None else ast.walk(function))
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
        )

    def import_of(self, name: str) -> ast.ImportFrom | None:
        """Return the only ``from`` import that binds ``name``, None where there is not just one."""
        found = [
            node
            for node in self.statements
            if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names)
        ]
        return found[0] if len(found) == 1 else None

    def readings(self, text: str) -> int:
        """Return how often a variable is read in the file, or any attribute of the same name where ``text`` is such as
        ``self.name``; others that import it or ask for it by a string included."""
        _, dot, name = text.rpartition(".")
        loads = [node for node in self.nodes if isinstance(getattr(node, "ctx", None), ast.Load)]
        named = any(isinstance(node, ast.Constant) and node.value == name for node in self.nodes)
        if dot:
            return named + sum(isinstance(node, ast.Attribute) and node.attr == name for node in loads)
        return named + sum(isinstance(node, ast.Name) and node.id == name for node in loads)

    def sources_bound_to(self, text: str) -> tuple[ast.expr, ...]:
        """Return the expressions that are bound to the place written ``text`` by plain assignments and loops."""
        return tuple(self._sources_by_place.get(text, ()))

    @cached_property
    def _sources_by_place(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self.statements:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                found.setdefault(ast.unparse(node.targets[0]), []).append(node.value)
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                found.setdefault(ast.unparse(node.target), []).append(node.iter)
        return found

    def calls_of_method(self, text: str, method: str) -> tuple[ast.Expr, ...]:
        """Return the statements in the file that are nothing but ``text.method(...)``."""
        return tuple(
            node
            for node in self.statements
            if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr == method
            and ast.unparse(node.value.func.value) == text
        )

    def assignments_to(self, text: str) -> tuple[ast.Assign, ...]:
        """Return the plain assignments in the file whose only target is written ``text``."""
        return tuple(self._assignments.get(text, ()))

    @cached_property
    def _assignments(self) -> dict[str, list[ast.Assign]]:
        found: dict[str, list[ast.Assign]] = {}
        for node in self.statements:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                text = target.id if isinstance(target, ast.Name) else ast.unparse(target)
                found.setdefault(text, []).append(node)
        return found


def _denies_accelerator(test: ast.expr, holds: bool, accelerators: set[int]) -> bool:
    """Return whether ``test`` coming out as ``holds`` means that there is no accelerator."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _denies_accelerator(test.operand, not holds, accelerators)
    if isinstance(test, ast.BoolOp):
        every = isinstance(test.op, ast.And) is holds
        return every and any(_denies_accelerator(value, holds, accelerators) for value in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        is_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
        if is_none and isinstance(test.ops[0], (ast.Is, ast.Eq)):
            return _denies_accelerator(test.left, not holds, accelerators)
        if is_none and isinstance(test.ops[0], (ast.IsNot, ast.NotEq)):
            return _denies_accelerator(test.left, holds, accelerators)
        return False
    name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return not holds and (id(test) in accelerators or "accelerat" in name.lower())


def _done_at(node: ast.AST) -> tuple[int, int]:
    if isinstance(node, ast.expr):
        return node.end_lineno or 0, node.end_col_offset or 0
    return _position(node)


def _end(node: ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _leaves(statement: ast.stmt) -> bool:
    """Return whether a statement is a condition with an arm that leaves the block."""
    return isinstance(statement, ast.If) and isinstance(
        statement.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)
    )
