"""What the methods of an Accelerator do (accelerate 1.15, src/accelerate/accelerator.py)."""

from __future__ import annotations

import ast
from dataclasses import replace

from prepare_fix.flow import recognise
from prepare_fix.flow.events import AcceleratorCall, Argument, Backward, Binding, PrepareCall
from prepare_fix.flow.expressions import Expressions
from prepare_fix.flow.frames import Arguments
from prepare_fix.flow.objects import NOTHING, Kind, ObjectId, Role, Stage, TrackedObject, Value, ref, union
from prepare_fix.flow.place import place_of
from prepare_fix.flow.state import supersede

# prepare wraps models, optimizers, DataLoaders and LRSchedulers and returns everything else as it came
# (accelerator.py, _prepare_one).
_PASSED_THROUGH = frozenset(
    {Kind.CONTAINER, Kind.VIEW, Kind.PARAMS, Kind.FUNCTION, Kind.CLASS, Kind.SYMBOL, Kind.ACCELERATOR, Kind.METHOD}
)
# Methods whose result carries the gradient of what they are given.
_COMPUTING = frozenset({"gather", "gather_for_metrics", "reduce", "pad_across_processes"})

_PREPARED_CALLS = (0, "[prepare calls]")
"""The key under which a state keeps which prepare calls may have run."""


class Accelerators(Expressions):
    """Adds prepare, backward and the other methods of an Accelerator."""

    def call_accelerator(
        self, node: ast.Call, owners: frozenset[ObjectId], method: str, arguments: Arguments, receiver: ast.expr
    ) -> Value:
        """Return what ``accelerator.method(...)`` gives."""
        if method in recognise.PREPARE_METHODS:
            return self._prepare(node, owners, method, arguments)
        if method == "backward":
            loss = arguments.first() or arguments.keywords.get("loss", NOTHING)
            self._record_backward(node, loss, node.args[0] if node.args else receiver, owners)
            return NOTHING
        values = tuple(value for _, value, _ in arguments.positional)
        place = node if self.abroad is None else self.abroad.call
        call = AcceleratorCall(method, place, owners, receiver, values, self.where(), self._earlier_calls())
        self.log.accelerator_calls[id(node), self.frame.context] = call
        if method == "unwrap_model":
            return self.unwrapped(arguments.first() or arguments.keywords.get("model", NOTHING))
        if method == "skip_first_batches":
            return self.call_symbol(node, "accelerate.skip_first_batches", arguments)
        if method in _COMPUTING:
            return arguments.everything
        return NOTHING

    def unwrapped(self, value: Value) -> Value:
        """Return the bare models behind ``value``."""
        return frozenset(
            (self.root_object(number), Stage.UNWRAPPED) for number, _ in value if self._can_be_prepared(number)
        )

    # --- prepare ----------------------------------------------------------------------------------------------

    def _prepare(self, node: ast.Call, owners: frozenset[ObjectId], method: str, arguments: Arguments) -> Value:
        key = self.new_id(("prepare", id(node), self.frame.context))
        handed, count = self._handed_over(arguments)
        before = dict(self.visible_places(writable=True))
        earlier = self._earlier_calls()
        results = tuple(self._prepared(node, index, argument.value) for index, argument in enumerate(handed))
        roots = frozenset(self.root_object(number) for argument in handed for number, _ in argument.value)
        gone = self.with_parts(number for number in roots if self._can_be_prepared(number))
        supersede(self.state, gone)
        self.stale.update((number, Stage.SUPERSEDED) for number in gone)
        self.state[_PREPARED_CALLS] = self.state.get(_PREPARED_CALLS, NOTHING) | {(-1 - key, Stage.RAW)}
        binding, targets = self._binding(node)
        value, container = self._returned(node, handed, results, count)
        place = node
        if self.abroad is not None:  # told of as one call, whose arguments and targets are not the reader's business
            place, binding, targets, before = self.abroad.call, Binding.PASSED_ON, (), {}
            handed = tuple(replace(each, node=place, place=None) for each in handed)
        self.log.prepare_calls[key] = PrepareCall(
            key,
            method,
            place,
            owners,
            handed,
            count,
            results,
            binding,
            tuple(place_of(target) for target in targets),
            targets,
            container,
            before,
            earlier,
            self.where(),
        )
        return value

    def _earlier_calls(self) -> frozenset[int]:
        """Return the keys of the prepare calls that may have run by now."""
        return frozenset(-1 - mark for mark, _ in self.state.get(_PREPARED_CALLS, NOTHING))

    def _handed_over(self, arguments: Arguments) -> tuple[tuple[Argument, ...], int | None]:
        """Return the arguments, known members of starred ones one by one, and how many there are."""
        handed: list[Argument] = []
        count: int | None = 0
        for expression, value, starred in arguments.positional:
            assert expression is not None
            members = self._contents(value)
            exact = self.sequence(value) if starred else None
            if starred and exact is None:
                inner = union([self.elements(*pair) for pair in value])
                handed.append(Argument(expression, inner, None, True, members))
                count = None
                continue
            for each in exact if exact is not None else [value]:
                place = None if starred else place_of(expression)
                handed.append(Argument(expression, each, place, starred, members))
                count = count + 1 if count is not None else None
        for name, value in arguments.keywords.items():
            if name not in {"device_placement", "evaluation_mode"}:
                handed.append(Argument(arguments.nodes[name], value, None, False, self._contents(value)))
        return tuple(handed), count

    def _contents(self, value: Value) -> Value:
        """Return the objects inside the containers and views of ``value``, at any depth."""
        found: set[tuple[ObjectId, Stage]] = set()
        todo = [number for number, _ in value if self.kind_of(number) in {Kind.CONTAINER, Kind.VIEW, Kind.METHOD}]
        seen = set(todo)
        while todo:
            inner = self.members(todo.pop())
            found |= inner
            new = {number for number, _ in inner if self.kind_of(number) in {Kind.CONTAINER, Kind.VIEW}} - seen
            seen |= new
            todo += new
        return frozenset(found)

    def _can_be_prepared(self, number: ObjectId) -> bool:
        obj = self.objects.get(number)
        if obj is None or obj.kind in _PASSED_THROUGH:
            return False
        return obj.kind is not Kind.INSTANCE or obj.role is not Role.UNKNOWN

    def _prepared(self, node: ast.Call, index: int, value: Value) -> Value:
        """Return what prepare gives for one argument."""
        results: set[tuple[ObjectId, Stage]] = set()
        for number, stage in value:
            if not self._can_be_prepared(number):
                results.add((number, stage))
                continue
            root = self.objects[self.root_object(number)]
            new = self.make(Kind.OBJECT, node, root.name, extra=("prepared", index, root.id), role=root.role)
            new.prepared_from = root.id
            known = self.prepared.setdefault(root.id, [])
            if new.id not in known:
                known.append(new.id)
            results.add((new.id, Stage.PREPARED))
            self.state.sought.add((new.id, Stage.PREPARED))
        return frozenset(results)

    def _returned(
        self, node: ast.Call, handed: tuple[Argument, ...], results: tuple[Value, ...], count: int | None
    ) -> tuple[Value, ObjectId | None]:
        """Return the value of the call: one object comes back bare, several as a tuple."""
        if len(handed) == 1 and count is not None:
            return results[0], None
        if count is None:
            container: TrackedObject = self.container(node, None, union(results))
            bare = results[0] if len(handed) == 1 else NOTHING
            return ref(container) | bare, container.id
        container = self.container(node, list(results))
        self.prepared_tuples.add(container.id)
        return ref(container), container.id

    def _binding(self, node: ast.Call) -> tuple[Binding, tuple[ast.expr, ...]]:
        statement = self.statement
        if isinstance(statement, ast.Expr) and statement.value is node:
            return Binding.DISCARDED, ()
        if isinstance(statement, ast.Return) and statement.value is node:
            return Binding.RETURNED, ()
        if isinstance(statement, ast.Assign) and statement.value is node and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)):
                return Binding.UNPACKED, tuple(target.elts)
            return Binding.ONE_NAME, (target,)
        if isinstance(statement, ast.AnnAssign) and statement.value is node:
            return Binding.ONE_NAME, (statement.target,)
        return Binding.PASSED_ON, ()

    def _record_backward(self, node: ast.Call, loss: Value, loss_node: ast.expr, owners: frozenset[ObjectId]) -> None:
        """Record the backward of an accelerator, or one in another file, where it is called."""
        if self.abroad is not None:
            loss_node = self.abroad.call
        place = node if self.abroad is None else self.abroad.call
        self.log.backwards[id(node), self.frame.context] = Backward(
            place, False, loss, loss_node, self.where(), owners=owners
        )

    # --- backward of the loss itself ----------------------------------------------------------------------------

    def record_plain_backward(self, node: ast.Call, loss: Value, loss_node: ast.expr, arguments: Arguments) -> None:
        """Record ``loss.backward(...)``; a positional tensor argument means that an engine runs it."""
        handed = frozenset(pair for pair in arguments.first() if pair not in loss)
        engine = bool(handed) and any(self.kind_of(number) is not Kind.DERIVED for number, _ in loss)
        if self.abroad is not None:
            self._record_backward(node, loss | handed, loss_node, frozenset())
            return
        self.log.backwards[id(node), self.frame.context] = Backward(
            node, not engine, loss | handed if engine else loss, loss_node, self.where(), self.accelerator_places()
        )
