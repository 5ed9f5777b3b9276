"""What becomes of prepared objects and their places after prepare: built anew, prepared again, in a loop."""

from __future__ import annotations

import ast
import re
from functools import cached_property

from prepare_fix.flow.accumulating import Accumulating
from prepare_fix.flow.events import PrepareCall, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Ref, Role, Value
from prepare_fix.flow.recognise import ACCELERATOR_NAMES

# What averages the gradients, or shards the data, without prepare.
# Plain words are found ten times faster than one pattern with alternatives.
_REDUCED = (".reduce(", "all_reduce", "DistributedDataParallel(")
_REBOUND = re.compile(r"setattr(?<!\wsetattr)\(")
_SHARDED = re.compile(
    r"process_index|get_rank\(|DistributedSampler|split_dataset_by_node|split_between_processes"
    r"|load_checkpoint_and_dispatch|dispatch_model"
)
# What is worth a look where it is built anew behind prepare.
_REBUILT = frozenset({Role.OPTIMIZER, Role.DATALOADER})


class Changes(Accumulating):
    """Adds what happens to prepared objects and their places afterwards."""

    def loop_around(self, statement: ast.stmt) -> ast.For | ast.AsyncFor | ast.While | None:
        """Return the innermost loop of the same function that a statement stands in."""
        loops = (ast.For, ast.AsyncFor, ast.While)
        return next((each for each in self.outline.around(statement)[1:] if isinstance(each, loops)), None)

    def is_expected_to_fail(self, statement: ast.stmt) -> bool:
        """Return whether a statement stands in a block that waits for an exception, such as ``pytest.raises``."""
        return any(
            "raises" in ast.unparse(item.context_expr).lower()
            for each in self.outline.around(statement)
            if isinstance(each, (ast.With, ast.AsyncWith))
            for item in each.items
        )

    def follows(self, statement: ast.stmt, other: ast.stmt) -> bool:
        """Return whether ``statement`` stands behind ``other`` in one function, and not in another branch."""
        pair = self.outline.in_one_block(other, statement)
        return pair is not None and self.outline.precedes(*pair) and self.scope(statement) == self.scope(other)

    def rebuilt_after(self, number: ObjectId) -> PrepareCall | None:
        """Return the prepare call whose result an optimizer or loader, raw ever since, takes the place of."""
        obj = self.objects[number]
        if obj.kind is not Kind.OBJECT or obj.role not in _REBUILT or self.prepared_with(number):
            return None
        statement = self.creation_statement(number)
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        target = self.text(statement.targets[0])
        for call, value in self._results_at.get(target, ()):
            roles = {self.role(result) for result, _ in value if result in self.objects}
            if roles == {obj.role} and self.follows(statement, call.where.statement):
                return call
        return None

    @cached_property
    def _results_at(self) -> dict[str, list[tuple[PrepareCall, Value]]]:
        """What prepare calls bind, with the call, by the text of the place."""
        found: dict[str, list[tuple[PrepareCall, Value]]] = {}
        for call in self.prepare_calls:
            for place, value in zip(call.targets, call.results, strict=False):
                found.setdefault(str(place), []).append((call, value))
        return found

    @cached_property
    def reduces_by_hand(self) -> bool:
        """Whether the script may average gradients itself, or rebinds attributes by name."""
        text = self.source.text
        return any(word in text for word in _REDUCED) or _REBOUND.search(text) is not None

    @cached_property
    def trained_models(self) -> frozenset[ObjectId]:
        """The raw models whose optimizers step."""
        steps = [use for use in self.uses if use.kind is UseKind.METHOD and use.name == "step"]
        return frozenset(model for use in steps for number, _ in use.value for model in self.models_of(number))

    @cached_property
    def finds_unused_parameters(self) -> bool:
        """Whether DDP is asked to live with parameters that get no gradients."""
        return re.search(r"find_unused_parameters\s*=\s*(?!False)", self.source.text) is not None

    def behind_parameters(self, value: Value) -> Value:
        """Return ``value`` with the models, as they were when they were asked, in the place of their parameters."""
        found: set[Ref] = set()
        for number, stage in value:
            obj = self.objects.get(number)
            if obj is None or obj.kind is not Kind.PARAMS:
                found.add((number, stage))
            else:
                asked = (use for use in self.uses if use.call is obj.node and use.where.context == obj.context)
                found.update(*(use.value for use in asked))
        return frozenset(found)

    def class_of_file(self, number: ObjectId) -> ast.ClassDef | None:
        """Return the class of the file that an object is an instance of."""
        name = self.objects[number].name
        classes = [node for node in self.statements if isinstance(node, ast.ClassDef) and node.name == name]
        return classes[0] if len(classes) == 1 else None

    @cached_property
    def may_prepare_elsewhere(self) -> bool:
        """Whether something that is not followed may prepare objects: a prepare call of unknown arguments, or a call of
        another file's function that is handed the accelerator."""
        if (
            any(gap.touches is None for gap in self._log.gaps)
            or self.reduces_by_hand
            or _SHARDED.search(self.source.text)
        ):
            return True
        for call in self.prepare_calls:
            if call.count is None or any(not each.value or each.members or each.starred for each in call.arguments):
                return True
        own = {
            node.name
            for node in self.statements
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        }
        return any(
            self._is_handed_over(node) and self.text(node.func).rpartition(".")[2] not in own
            for node in self.nodes
            if isinstance(node, ast.Call)
        )

    def _is_handed_over(self, call: ast.Call) -> bool:
        """Return whether a call is handed something that is called an accelerator."""
        return any(
            self.text(each).rpartition(".")[2] in ACCELERATOR_NAMES
            for each in (*call.args, *(keyword.value for keyword in call.keywords))
            if isinstance(each, (ast.Name, ast.Attribute))
        )

    def is_surely_raw(self, number: ObjectId) -> bool:
        """Return whether an object is created here, of a known kind, and never prepared."""
        obj = self.objects[self.root(number)]
        made_here = obj.kind in {Kind.OBJECT, Kind.INSTANCE} and obj.role is not Role.UNKNOWN and not obj.is_many
        if not made_here or self.prepared_with(obj.id) or self.is_touched_by_gap(obj.id):
            return False
        return not self.may_prepare_itself(obj.id)
