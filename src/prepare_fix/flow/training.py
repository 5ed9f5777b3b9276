"""What leads to a backward: the way from the batches through the models to the loss."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from prepare_fix.flow import recognise
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, Value
from prepare_fix.flow.record import Record

# What data passes through on its way to the loss; anything else ends the way back from it.
_DATA_KINDS = frozenset({Kind.DERIVED, Kind.CONTAINER, Kind.VIEW, Kind.OBJECT, Kind.PART, Kind.PARAMS})
_COMPUTING = frozenset({UseKind.CALL, UseKind.METHOD, UseKind.ARGUMENT})


class Training(Record):
    """Adds which uses train."""

    @cached_property
    def _contained(self) -> dict[ObjectId, set[ObjectId]]:
        """What was ever put into a container or view."""
        return self._machine.contents if self._machine is not None else {}

    def root(self, number: ObjectId) -> ObjectId:
        """Return the raw object behind a prepared one, any other as it is."""
        obj = self.objects[number]
        return obj.prepared_from if obj.prepared_from is not None else number

    @cached_property
    def _training_loops(self) -> frozenset[int]:
        return frozenset(key for backward in self.backwards for key in backward.where.loops)

    @cached_property
    def into_backward(self) -> frozenset[ObjectId]:
        """The data and objects that a loss is computed from."""
        return self.sources_of(number for backward in self.backwards for number, _ in backward.loss)

    def sources_of(self, numbers: Iterable[ObjectId], *, detached: bool = False) -> frozenset[ObjectId]:
        """Return the data that ``numbers`` are computed from, themselves included.

        It is what gradients flow back to; with ``detached``, all of it.
        """
        seen: set[ObjectId] = set()
        todo = list(numbers)
        while todo:
            number = todo.pop()
            obj = self.objects.get(number)
            if obj is None or number in seen:
                continue
            seen.add(number)
            if obj.is_detached and not detached:
                continue
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

    def model_calls_behind(self, loss: Value) -> tuple[Use, ...]:
        """Return the calls of prepared or superseded models that a loss is computed from."""
        sources = self.sources_of(number for number, _ in loss)
        indexes = sorted(index for number in sources for index in self._model_calls.get(number, ()))
        return tuple(self.uses[index] for index in indexes)

    @cached_property
    def _model_calls(self) -> dict[ObjectId | None, list[int]]:
        """The indexes of the uses that compute something with a prepared or superseded object, by their results."""
        found: dict[ObjectId | None, list[int]] = {}
        for index, use in enumerate(self.uses):
            computes = use.result is not None and use.where.gradients and use.kind in _COMPUTING
            if computes and any(stage in {Stage.PREPARED, Stage.SUPERSEDED} for _, stage in use.value):
                found.setdefault(use.result, []).append(index)
        return found

    def divisions_behind(self, loss: Value) -> tuple[ast.AST, ...]:
        """Return the divisions between the outputs of models and the loss; of what no model gave, such as a weight that
        the loss is multiplied by, only where none is known to stand behind the loss."""
        seen: set[ObjectId] = set()
        found: list[ObjectId] = []
        todo = [number for number, _ in loss]
        while todo:
            number = todo.pop()
            obj = self.objects.get(number)
            if obj is None or number in seen:
                continue
            seen.add(number)
            if obj.name == "/" and obj.node is not None:
                found.append(number)
            if number not in self._outputs or obj.name == "/":
                todo += obj.built_from if obj.kind in _DATA_KINDS and not obj.is_detached else ()
        if not self._outputs.isdisjoint(seen):
            found = [number for number in found if not self._outputs.isdisjoint(self.sources_of([number]))]
        return tuple(node for number in found if (node := self.objects[number].node) is not None)

    @cached_property
    def _outputs(self) -> frozenset[ObjectId | None]:
        """What calls give that reaches a backward."""
        return frozenset(use.result for use in self.uses if use.kind is UseKind.CALL and self.is_training(use))

    def is_scaled_by_hand(self, loss: Value) -> bool:
        """Return whether a GradScaler of the script's own goes into a loss."""
        sources = self.sources_of(number for number, _ in loss)
        return any(self.objects[number].name in recognise.GRAD_SCALERS for number in sources)
