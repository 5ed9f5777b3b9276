"""PF305: a model is changed after prepare, between it and the training."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Finding
from prepare_fix.flow.events import Surroundings, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, Value
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.story import name_in, note, report, tell

_LOADING = re.compile(r"\b(?:torch\.load|load_file|safe_open|load_checkpoint)\(")
_FROZEN = "under DDP the training stops with a RuntimeError in the second iteration"
_REPLACED = "the new layer is not among the parameters that the optimizer was built from, and never trains"
_LOADED = "under DDP the keys of the prepared model begin with `module.` and do not match"


class ChangedAfterPrepare(Rule):
    """A model is frozen in part, loses or gets layers, or loads weights between ``prepare`` and the training.

    What it does:
        Finds parameters that are frozen, layers that are replaced or resized, and weights of a file that are loaded
        into a prepared model, in front of the training in the same function.

    Why it matters:
        Under DDP a layer that is frozen after prepare stops the training with a RuntimeError in the second iteration.
        A layer that is replaced is never trained, on one process already: the optimizer has the old one's parameters.
        The keys of a prepared model begin with ``module.`` under DDP, and those of a file usually do not.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(loader):
            accelerator = Accelerator()
            model = torch.nn.Transformer(d_model=64)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for parameter in accelerator.unwrap_model(model).encoder.parameters():
                parameter.requires_grad = False
            for batch in loader:
                accelerator.backward(model(batch, batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(loader):
            accelerator = Accelerator()
            model = torch.nn.Transformer(d_model=64)
            for parameter in model.encoder.parameters():
                parameter.requires_grad = False
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch, batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        There is no fix: what the change needs may itself come later, and the optimizer may have to be built behind it.

    Limits:
        Silent in the training loop and behind it, for models that no optimizer owns, where DDP looks for unused
        parameters, and for weights that the script itself saved from a prepared model.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare_model``); torch, ``DistributedDataParallel``.
    """

    code = "PF305"
    name = "changed-after-prepare"
    summary = "A model is frozen, rebuilt or loaded between prepare and the training"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each change to a prepared model that comes too late."""
        if not trace.backwards:
            return
        changes = [*_method_calls(trace), *_assignments(trace)]
        for node, what, harm, value, where in changes:
            model = _prepared_model(trace, value)
            if model is not None and _comes_before_training(trace, model, where):
                yield self._finding(trace, node, (what, harm), model, where)

    def _finding(
        self, trace: Trace, node: ast.expr, words: tuple[str, str], model: ObjectId, where: Surroundings
    ) -> Finding:
        call = trace.prepared_with(model)[0]
        what, harm = words
        story = f"{what} on line {trace.line(node)}, after the model was prepared on line {trace.line(call.node)}"
        key = f"{trace.scope(where.statement)}:{trace.text(node)}"
        reason = f"it belongs in front of the prepare call on line {trace.line(call.node)}, with all that it needs"
        objects = (tell(trace, name_in(trace, call, model), model, _first_call(trace, model, where)),)
        notes = (note(trace, node, where.context, what),)
        return report(self, trace, story, harm, trace.span(node), key, objects=objects, notes=notes, proposal=reason)


_CHANGING = frozenset({"requires_grad_", "resize_token_embeddings", "load_state_dict"})
_Change = tuple[ast.expr, str, str, Value, Surroundings]


def _method_calls(trace: Trace) -> Iterator[_Change]:
    saves = any(
        use.name == "state_dict" and trace.role(number) is Role.MODEL
        for use in trace.uses
        for number, stage in use.value
        if stage is Stage.PREPARED
    )
    for use in trace.uses:
        call = use.call
        if use.kind is not UseKind.METHOD or use.name not in _CHANGING or not isinstance(call, ast.Call):
            continue
        name = f"`{trace.text(use.node)}.{use.name}`"
        if use.name == "requires_grad_" and _is_false(_handed(call)) and not trace.finds_unused_parameters:
            yield call, f"{name} freezes layers", _FROZEN, use.value, use.where
        elif use.name == "resize_token_embeddings":
            yield call, f"{name} puts in another layer", _REPLACED, use.value, use.where
        elif use.name == "load_state_dict" and not saves and _loads_a_file(trace, call, use.value):
            yield call, f"{name} loads weights of a file", _LOADED, use.value, use.where


def _assignments(trace: Trace) -> Iterator[_Change]:
    for write in trace.writes:
        statement, name = write.where.statement, trace.text(write.node)
        if _is_frozen_by(statement, write.node):
            if not trace.finds_unused_parameters:
                how = f"`{name} = False`" if isinstance(statement, ast.Assign) else f"`{name}`"
                yield write.node, f"{how} freezes parameters", _FROZEN, write.base, write.where
        elif any(_is_new_layer(trace, number) for number, _ in write.value):
            yield write.node, f"`{name}` is assigned a new layer", _REPLACED, write.base, write.where


def _handed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_frozen_by(statement: ast.stmt, node: ast.Attribute) -> bool:
    """Return whether a statement is ``parameter.requires_grad = False``, or calls ``requires_grad_(False)``."""
    if isinstance(statement, ast.Assign):
        return node.attr == "requires_grad" and _is_false([statement.value])
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and call.func is node and _is_false(_handed(call))


def _is_false(nodes: list[ast.expr]) -> bool:
    return any(isinstance(node, ast.Constant) and node.value is False for node in nodes)


def _is_new_layer(trace: Trace, number: ObjectId) -> bool:
    """Return whether an object is a module made here that neither prepare nor an optimizer gets hold of by itself."""
    obj = trace.objects.get(number)
    if obj is None or obj.role is not Role.MODEL or obj.prepared_from is not None or trace.prepared_with(number):
        return False
    return obj.kind is Kind.OBJECT and number not in trace.trained_models


def _loads_a_file(trace: Trace, call: ast.Call, value: Value) -> bool:
    """Return whether what was read from a file is loaded into what is surely the wrapped model."""
    return bool(call.args) and _is_from_file(trace, call.args[0]) and all(stage is Stage.PREPARED for _, stage in value)


def _is_from_file(trace: Trace, node: ast.expr) -> bool:
    """Return whether an expression gives what was read from a file: directly, or through one name."""
    if _LOADING.search(trace.text(node)):
        return True
    while isinstance(node, ast.Subscript):
        node = node.value
    bound = trace.assignments_to(node.id) if isinstance(node, ast.Name) else ()
    return bool(bound) and all(_LOADING.search(trace.text(each.value)) for each in bound)


def _prepared_model(trace: Trace, value: Value) -> ObjectId | None:
    """Return the trained model that was prepared and that ``value``, surely past prepare, is, is a part or holds the
    parameters of."""
    found: set[ObjectId] = set()
    for number, stage in trace.behind_parameters(value):
        if stage is Stage.RAW:
            return None
        found.add(trace.whole(trace.root(number)))
    known = [number for number in found if number in trace.trained_models and trace.prepared_with(number)]
    return known[0] if len(known) == len(found) == 1 else None


def _comes_before_training(trace: Trace, model: ObjectId, where: Surroundings) -> bool:
    """Return whether ``where`` lies outside the training loops, and the model is called for a loss further down."""
    loops = {loop for backward in trace.backwards for loop in backward.where.loops}
    if loops & set(where.loops) or not where.gradients:
        return False
    return bool(_first_call(trace, model, where))


def _first_call(trace: Trace, model: ObjectId, where: Surroundings) -> list[Use]:
    """Return the first call of the model for a loss that stands further down than ``where``; none where none does."""
    calls = (
        use
        for use in trace.uses_of(model)
        if use.kind is UseKind.CALL and trace.is_training(use) and use.where.function is where.function
    )
    return [use for use in calls if trace.is_before(where.statement, use.node)][:1]
