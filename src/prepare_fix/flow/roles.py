"""What objects are to the training loop, which belong together, and which are prepared."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import cached_property

from prepare_fix.flow import recognise
from prepare_fix.flow.events import PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, Value
from prepare_fix.flow.place import Place
from prepare_fix.flow.training import Training

STEPPING = frozenset({"step", "zero_grad"})
"""The methods through which an optimizer trains."""


class Roles(Training):
    """Adds roles, pairs and the union of all prepare calls."""

    def role(self, number: ObjectId) -> Role:
        """Return the role of an object: what its constructor says, else what is done with it."""
        root = self.root(number)
        known = self.objects[root].role
        return known if known is not Role.UNKNOWN else self._roles_by_use.get(root, Role.UNKNOWN)

    def objects_of(self, role: Role) -> tuple[ObjectId, ...]:
        """Return the objects of a role, raw and prepared, in the order in which they were first seen."""
        return tuple(self._objects_by_role.get(role, ()))

    @cached_property
    def _objects_by_role(self) -> dict[Role, list[ObjectId]]:
        found: dict[Role, list[ObjectId]] = {}
        for number in self.objects:
            found.setdefault(self.role(number), []).append(number)
        return found

    @cached_property
    def _roles_by_use(self) -> dict[ObjectId, Role]:
        roles: dict[ObjectId, Role] = {}
        for root, names in self._ways_of_use.items():
            if "for" in names:
                roles[root] = Role.DATALOADER
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
    def _ways_of_use(self) -> dict[ObjectId, set[str]]:
        """The methods called on each object; ``()`` for a call and ``for`` for a walk that lead to a backward."""
        ways: dict[ObjectId, set[str]] = {}
        for use in self.uses:
            way = ""
            if use.kind is UseKind.METHOD:
                bare = isinstance(use.call, ast.Call) and not use.call.args and not use.call.keywords
                way = use.name if bare or use.name != "step" else "step(...)"
            elif use.kind in {UseKind.ITERATE, UseKind.CALL} and self.is_training(use):
                way = "for" if use.kind is UseKind.ITERATE else "()"
            for number, _ in use.value if way else ():
                ways.setdefault(self.root(number), set()).add(way)
        return ways

    @cached_property
    def _trained_by_optimizers(self) -> frozenset[ObjectId]:
        known = (number for number, obj in self.objects.items() if obj.role is Role.OPTIMIZER)
        return frozenset(model for number in known for model in self.models_of(number))

    def _direct_optimizers(self, number: ObjectId) -> set[ObjectId]:
        sources = {self.root(source) for source in self.objects[number].built_from if source in self.objects}
        return {source for source in sources if self.objects[source].role is Role.OPTIMIZER}

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

    def whole(self, number: ObjectId) -> ObjectId:
        """Return the object that ``number`` is a part of, at any depth."""
        obj = self.objects[number]
        while obj.part_of is not None and self.objects[obj.part_of].kind is not Kind.INSTANCE:
            whole = self.objects[self.root(obj.part_of)]
            if whole.kind is Kind.PARAMETER and whole.role is Role.UNKNOWN and obj.role is not Role.UNKNOWN:
                break
            obj = whole
        return obj.id

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

    def handed_to(self, call: PrepareCall) -> frozenset[ObjectId]:
        """Return the raw objects behind the arguments of a prepare call."""
        return frozenset(
            self.root(number) for argument in call.arguments for number, _ in argument.value if number in self.objects
        )

    def prepared_with(self, number: ObjectId) -> tuple[PrepareCall, ...]:
        """Return the prepare calls that an object is handed to, on whatever path."""
        return tuple(self._calls_by_object.get(self.root(number), ()))

    def may_be_frozen(self, model: ObjectId) -> bool:
        """Return whether the script may switch off the gradients of a model, or of some of its parameters."""
        for use in self.uses_of(model):
            if use.kind is UseKind.METHOD and use.name in {"requires_grad_", "eval"}:
                return True
            if use.kind is UseKind.ARGUMENT and "freeze" in self.text(use.call or use.node).lower():
                return True
        return "requires_grad = False" in self.source.text or "requires_grad=False" in self.source.text

    def asks_for_parameters(self, use: Use) -> bool:
        """Return whether a use is ``model.parameters()`` or the like."""
        return use.kind is UseKind.METHOD and use.name in recognise.PARAMETER_METHODS

    def is_wrapped_by_hand(self, model: ObjectId) -> bool:
        """Return whether the script wraps a model for several processes itself, with DDP and the like."""
        return any(
            number == model
            for call in self.symbol_calls
            if call.path in recognise.DISTRIBUTED_WRAPPERS
            for value in call.arguments
            for number, _ in value
        )

    def may_prepare_itself(self, number: ObjectId) -> bool:
        """Return whether an object, or what it was built from, was handed an accelerator: it may prepare inside."""
        seen: set[ObjectId] = set()
        todo = [self.root(number)]
        while todo:
            obj = self.objects.get(todo.pop())
            if obj is None or obj.id in seen:
                continue
            seen.add(obj.id)
            if obj.kind is Kind.ACCELERATOR:
                return True
            if obj.kind in {Kind.OBJECT, Kind.PART, Kind.DERIVED, Kind.INSTANCE} and obj.role is Role.UNKNOWN:
                todo += obj.built_from
        return False

    def prepared_with_model_of(self, call: PrepareCall) -> tuple[PrepareCall, ...]:
        """Return the prepare calls that take a model of ``call``."""
        models = {
            self.root(number)
            for argument in call.arguments
            for number, _ in argument.value
            if number in self.objects and self.role(number) is Role.MODEL
        }
        return tuple(other for model in models for other in self.prepared_with(model))

    def is_wrapped_by_prepare(self, value: Value) -> bool:
        """Return whether prepare wraps whatever ``value`` may be; containers and iterators come back as they are."""
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
            # Who only takes the parameters of a model is not built around it: an optimizer is no wrapper. Nor is a
            # schedule built around the loader whose length it counts.
            for source in obj.built_from if obj.kind is not Kind.PARAMS and obj.name != "len" else ():
                if source in self.objects:
                    source = self.root(source)
                    if source not in seen:
                        seen.add(source)
                        todo += [source, *self._contained.get(source, ())]
                        seen.update(self._contained.get(source, ()))
        return seen

    def is_touched_by_gap(self, number: ObjectId) -> bool:
        """Return whether something that could not be followed may have changed what is known of an object."""
        return self._machine is None or self.root(number) in self._touched_by_gaps or self._has_open_gap

    @cached_property
    def _has_open_gap(self) -> bool:
        return any(gap.touches is None for gap in self._log.gaps)

    @cached_property
    def _touched_by_gaps(self) -> frozenset[ObjectId]:
        return frozenset(
            self.root(number) for gap in self._log.gaps for number in gap.touches or () if number in self.objects
        )

    def comes_in_raw(self, number: ObjectId) -> bool:
        """Return whether an object is surely raw at first: made here, or handed to what builds the accelerator."""
        obj = self.objects[number]
        if obj.kind is Kind.PARAMETER and self._machine is not None:
            return self._machine.root_of(obj.context) in self._machine.roots_with_accelerator
        return obj.comes_in_raw

    def is_prepared_somehow(self, number: ObjectId) -> bool:
        """Return whether an object, something around it or in it, is handed to a prepare call on some path."""
        prepared = self._calls_by_object.keys()
        return number in prepared or number in self._around_prepared or not prepared.isdisjoint(self._ancestors(number))

    @cached_property
    def _around_prepared(self) -> frozenset[ObjectId]:
        """What went into the objects that are handed to a prepare call."""
        return frozenset[ObjectId]().union(*(self._ancestors(other) for other in self._calls_by_object))

    def used_role(self, value: Value) -> Role:
        """Return the role that objects are used in behind a prepare call; UNKNOWN where that is unclear."""
        roles: set[Role] = set()
        for use in {id(use): use for number, _ in value for use in self.uses_of(number)}.values():
            if use.value <= value:
                if use.kind is UseKind.ITERATE and self.is_training(use):
                    roles.add(Role.DATALOADER)
                elif use.kind is UseKind.CALL and self.is_training(use):
                    roles.add(Role.MODEL)
                elif use.kind is UseKind.METHOD and use.name == "zero_grad":
                    roles.add(Role.OPTIMIZER)
        return roles.pop() if len(roles) == 1 else Role.UNKNOWN

    def steps_of(self, optimizer: ObjectId) -> tuple[Use, ...]:
        """Return the uses in which an optimizer, through whatever name, is stepped."""
        root = self.root(optimizer)
        return tuple(
            use for use in self._steps if any(self.root(self.holder(number)) == root for number, _ in use.value)
        )

    def raw_steps(self, models: AbstractSet[ObjectId]) -> tuple[Use, ...]:
        """Return the steps that an unprepared optimizer of ``models`` may make where there is an accelerator."""
        return tuple(
            use
            for use in self._steps
            if not self.is_without_accelerator(use.where)
            if any(
                stage in {Stage.RAW, Stage.SUPERSEDED} and not self.models_of(self.holder(number)).isdisjoint(models)
                for number, stage in use.value
            )
        )

    @cached_property
    def _steps(self) -> tuple[Use, ...]:
        """The uses in which something is stepped."""
        return tuple(
            use for use in self.uses if (use.kind is UseKind.METHOD and use.name == "step") or self._is_bound_step(use)
        )

    def _is_bound_step(self, use: Use) -> bool:
        return use.kind is UseKind.CALL and all(self.objects[number].name == "step" for number, _ in use.value)

    def holder(self, number: ObjectId) -> ObjectId:
        """Return the object that a bound method or part belongs to; any other object as it is."""
        obj = self.objects[number]
        return obj.part_of if obj.part_of is not None and obj.name in STEPPING else number

    def uses_of(self, number: ObjectId) -> tuple[Use, ...]:
        """Return the uses of an object, raw and prepared."""
        return tuple(self._uses_by_object.get(self.root(number), ()))

    @cached_property
    def _uses_by_object(self) -> dict[ObjectId, list[Use]]:
        found: dict[ObjectId, list[Use]] = {}
        for use in self.uses:
            for root in {self.root(number) for number, _ in use.value}:
                found.setdefault(root, []).append(use)
        return found

    def uses_around(self, loops: tuple[int, ...]) -> tuple[Use, ...]:
        """Return the uses in the outermost of ``loops``, its own walk included; without loops, those outside of any."""
        return tuple(self._uses_by_outermost_loop.get(loops[0] if loops else None, ()))

    @cached_property
    def _uses_by_outermost_loop(self) -> dict[int | None, list[Use]]:
        found: dict[int | None, list[Use]] = {}
        for use in self.uses:
            found.setdefault(use.where.loops[0] if use.where.loops else use.loop, []).append(use)
        return found

    def models_around(self, part: ObjectId) -> tuple[ObjectId, ...]:
        """Return the raw models of known classes that ``part`` went into the constructors of."""
        return tuple(self._models_by_part.get(part, ()))

    @cached_property
    def _models_by_part(self) -> dict[ObjectId, list[ObjectId]]:
        found: dict[ObjectId, list[ObjectId]] = {}
        for number in self.objects_of(Role.MODEL):
            obj = self.objects[number]
            for part in obj.built_from if obj.role is Role.MODEL and obj.prepared_from is None else ():
                found.setdefault(part, []).append(number)
        return found

    def takes_only_parameters(self, statement: ast.stmt, places: Iterable[Place]) -> bool:
        """Return whether all that a statement does with ``places`` is to ask models for their parameters.

        Those are the same objects before and after prepare on one process and under DDP.
        """
        wanted = {str(place) for place in places}
        asked = {
            id(use.node) for use in self.uses if use.kind is UseKind.METHOD and use.name in recognise.PARAMETER_METHODS
        }
        return all(
            id(node) in asked
            for node in ast.walk(statement)
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and ast.unparse(node) in wanted
        )
