"""PF304: a part of a model is prepared, and the whole model, which uses the raw part, is called for the loss."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Argument, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage
from prepare_fix.flow.place import Attr
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.story import report, tell


@dataclass(frozen=True, slots=True)
class _Split:
    """A part that is prepared (argument ``index`` of ``call``), and the calls of the raw whole for a loss."""

    call: PrepareCall
    index: int
    whole: ObjectId
    uses: tuple[Use, ...]


class PartPreparedWholeCalled(Rule):
    """A submodule goes through ``prepare``, and the loss is computed by the model around it.

    What it does:
        Finds parts of a model (``model.encoder``, or a module that the model was built around) that are prepared, where
        the model itself is not and is called for a loss that goes backward.

    Why it matters:
        The whole model calls the raw part, so what prepare put around it never runs: on two processes the gradients are
        not averaged and the ranks diverge.

    Example:
        ```python
        import torch
        from accelerate import Accelerator
        from transformers import AutoModel

        def train(loader):
            accelerator = Accelerator()
            model = AutoModel.from_pretrained("bert-base-cased")
            optimizer = torch.optim.AdamW(model.encoder.parameters(), lr=1e-3)
            encoder, optimizer, loader = accelerator.prepare(model.encoder, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator
        from transformers import AutoModel

        def train(loader):
            accelerator = Accelerator()
            model = AutoModel.from_pretrained("bert-base-cased")
            optimizer = torch.optim.AdamW(model.encoder.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: everything in the model that has gradients is exchanged then. None where the prepared part is
        used by itself, or where the whole model is not at hand where the part is prepared.

    Limits:
        Silent where the prepared part is put back into the model, which then calls it, where a class of the file does
        not use the part, and where the script averages gradients itself.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare_model``).
    """

    code = "PF304"
    name = "part-prepared-whole-called"
    summary = "A part of a model is prepared, and the whole model is called for the loss"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepared part of a model that is called raw as a whole."""
        if not trace.backwards or trace.reduces_by_hand:
            return
        for call in trace.prepare_calls:
            for index, argument in enumerate(call.arguments):
                for number, stage in argument.value:
                    if stage is Stage.RAW and number in trace.objects and not argument.starred:
                        yield from self._check(trace, call, index, number)

    def _check(self, trace: Trace, call: PrepareCall, index: int, part: ObjectId) -> Iterator[Finding]:
        argument = call.arguments[index]
        for whole in _wholes(trace, argument, part):
            uses = tuple(use for use in trace.uses if _is_called_raw(trace, use, whole, call))
            if uses and not trace.prepared_with(whole) and not _is_put_back(trace, call, index):
                yield self._finding(trace, _Split(call, index, whole, uses))

    def _finding(self, trace: Trace, split: _Split) -> Finding:
        use, call = split.uses[0], split.call
        part, whole = trace.text(call.arguments[split.index].node), trace.text(use.node)
        story = (
            f"`{part}`, a part of `{whole}`, is prepared on line {trace.line(call.node)}, but the loss is computed by "
            f"`{whole}` on line {trace.line(use.node)}, which calls the raw part"
        )
        consequence = "on two processes the ranks diverge"
        key = f"{trace.scope(call.where.statement)}:{part}"
        number = min(number for number, _ in call.arguments[split.index].value)
        objects = (tell(trace, whole, split.whole, split.uses), tell(trace, part, number, ()))
        span, proposal = trace.span(call.node), _propose(trace, split, whole)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _wholes(trace: Trace, argument: Argument, part: ObjectId) -> list[ObjectId]:
    """Return the models that ``part`` is an attribute of, or that were built around it."""
    obj = trace.objects[part]
    if obj.kind is Kind.PART and argument.place is not None and argument.place.path:
        whole, step = trace.whole(part), argument.place.path[-1]
        is_module = any(use.kind is UseKind.METHOD and use.name == "parameters" for use in trace.uses_of(part))
        if not is_module or not isinstance(step, Attr) or trace.objects[whole].role is not Role.MODEL:
            return []
        cls = trace.class_of_file(whole)
        return [whole] if cls is None or _uses_attribute(cls, step.name) else []
    return [number for number in trace.models_around(part) if _calls_inside(trace, number, trace.text(argument.node))]


def _uses_attribute(cls: ast.ClassDef, name: str) -> bool:
    """Return whether a method other than the constructor reads ``self.name``."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        for method in cls.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
        for node in ast.walk(method)
    )


def _calls_inside(trace: Trace, whole: ObjectId, argument: str) -> bool:
    """Return whether the class of ``whole`` keeps what it is handed as ``argument`` and calls it."""
    cls, creation = trace.class_of_file(whole), trace.objects[whole].node
    if cls is None or not isinstance(creation, ast.Call):
        return False
    init = next((each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    names = [parameter.arg for parameter in init.args.args[1:]] if init is not None else []
    handed = [name for name, node in zip(names, creation.args, strict=False) if trace.text(node) == argument]
    handed += [word.arg for word in creation.keywords if word.arg is not None and trace.text(word.value) == argument]
    kept = [
        target.attr
        for node in ast.walk(cls)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in handed
        for target in node.targets
        if isinstance(target, ast.Attribute)
    ]
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in kept
        for node in ast.walk(cls)
    )


def _is_called_raw(trace: Trace, use: Use, whole: ObjectId, call: PrepareCall) -> bool:
    return (
        use.kind is UseKind.CALL
        and use.value == {(whole, Stage.RAW)}
        and trace.is_training(use)
        and trace.may_follow(use.where, call)
        and not trace.is_without_accelerator(use.where)
    )


def _is_put_back(trace: Trace, call: PrepareCall, index: int) -> bool:
    """Return whether the prepared part is assigned to an attribute."""
    return any(
        number == result and stage is Stage.PREPARED
        for write in trace.writes
        for number, stage in write.value
        for result, _ in call.results[index]
    )


def _propose(trace: Trace, split: _Split, whole: str) -> Proposal | str:
    call, index = split.call, split.index
    if index >= len(call.targets) or call.targets[index] is None or call.count != len(call.targets):
        return "the result of the call does not go to one place for each argument"
    if trace.is_read(call.target_nodes[index], call):
        return f"`{trace.text(call.target_nodes[index])}`, the prepared part, is used by itself"
    holding = [place for place, value in call.before.items() if value == {(split.whole, Stage.RAW)}]
    if whole not in map(str, holding):
        return f"`{whole}` is not at hand where the part is prepared"
    nodes = (call.arguments[index].node, call.target_nodes[index])
    repairs = tuple(ReplaceExpression(trace.span(node), whole) for node in nodes if trace.text(node) != whole)
    return Proposal(f"Prepare `{whole}`", Applicability.UNSAFE, repairs)
