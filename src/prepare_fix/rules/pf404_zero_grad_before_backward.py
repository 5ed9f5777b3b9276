"""PF404: gradients are zeroed in front of the backward, inside ``accumulate``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import AcceleratorCall, Surroundings, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropStatement, MoveStatement, ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.story import describe, note, report, tell


class ZeroGradBeforeBackward(Rule):
    """``optimizer.zero_grad()`` in front of the backward, inside ``with accelerator.accumulate(...)``.

    What it does:
        Finds optimizers (and models) that zero the gradients inside an ``accumulate`` block before the backward of the
        same block, where the accelerator was built with an accumulation count or comes from outside the file; and
        models that do so behind the step.

    Why it matters:
        A prepared optimizer skips ``zero_grad`` on all micro batches but the last of each group. On that one it zeroes
        what was gathered before, so only the last micro batch counts: wrong parameters on one process and on several.
        ``model.zero_grad()`` skips nothing: in front of the backward as well as behind the step it throws away the
        gradients of every micro batch.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator(gradient_accumulation_steps=4)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                with accelerator.accumulate(model):
                    optimizer.zero_grad()
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator(gradient_accumulation_steps=4)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                with accelerator.accumulate(model):
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    optimizer.zero_grad()
        ```

    Fix safety:
        Safe where the prepared optimizer zeroes and steps once in the block, both unconditionally, and nothing in the
        function reads ``.grad``. Unsafe where gradients are read, where the optimizer may not be prepared, and for
        ``model.zero_grad()``, which the optimizer's own takes the place of. None where several optimizers share the
        block (one may have to clear what the loss of another leaves), or where the step is not found next to it.

    Limits:
        Silent outside ``accumulate`` and in front of its ``with``, where zeroing first is right, under conditions in
        the block, where the accelerator is built without a count, and for a model that no optimizer is known to train.

    Source:
        accelerate 1.15.0, ``src/accelerate/optimizer.py`` (``zero_grad``, line 113).
    """

    code = "PF404"
    name = "zero-grad-before-backward"
    summary = "Gradients are zeroed in front of the backward, inside accumulate"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each ``zero_grad`` that throws gathered gradients away."""
        for use in trace.uses:
            if use.kind is not UseKind.METHOD or use.name != "zero_grad":
                continue
            block = trace.accumulate_block(use.where)
            if block is None or trace.own_guards(use.where, block.where):
                continue
            is_gathering = trace.may_accumulate(block.accelerator) and bool(_optimizers(trace, use))
            if is_gathering and (_comes_before_backward(trace, use) or _is_model_behind_step(trace, use)):
                yield self._finding(trace, use, block)

    def _finding(self, trace: Trace, use: Use, block: AcceleratorCall) -> Finding:
        number = trace.root(min(number for number, _ in use.value))
        name, line = trace.text(use.node), trace.line(use.node)
        is_model = trace.role(number) is Role.MODEL
        effect = (
            "throws away what the micro batches before have gathered"
            if is_model
            else "throws away, on the last micro batch of each group, what the others have gathered"
        )
        place = "in front of the backward" if _comes_before_backward(trace, use) else "behind the step"
        story = (
            f"{describe(trace, name, number)} zeroes the gradients on line {line}, {place} of the `accumulate` block "
            f"that begins on line {trace.line(block.node)}"
        )
        proposal = _propose_for_model(trace, use) if is_model else _propose(trace, use)
        objects = (tell(trace, name, number, (use,)),)
        notes = (
            note(trace, block.node, block.where.context, "the `accumulate` block begins"),
            *(
                note(trace, each.node, each.where.context, "gradients are gathered")
                for each in trace.backwards
                if _is_in_same_block(use, each.where)
            ),
        )
        key = f"{trace.scope(use.where.statement)}:{name}"
        span, consequence = trace.span(use.node), f"with gradient accumulation it {effect}"
        if not is_model and not any(stage is Stage.PREPARED for _, stage in use.value):
            consequence = f"once it is prepared, {consequence}"  # raw, it steps on every micro batch and loses nothing
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _comes_before_backward(trace: Trace, use: Use) -> bool:
    """Return whether a backward of the same block follows, and no step of the same optimizer stands in front."""
    statement = use.where.statement
    if not any(
        _is_in_same_block(use, each.where) and trace.is_before(statement, each.where.statement)
        for each in trace.backwards
    ):
        return False
    return not any(trace.is_before(step.where.statement, statement) for step in _calls(trace, use, "step"))


def _is_model_behind_step(trace: Trace, use: Use) -> bool:
    """Return whether a model zeroes behind the only backward and the only step of the block, on all micro batches."""
    if not all(trace.role(trace.root(number)) is Role.MODEL for number, _ in use.value):
        return False
    backwards = [each.where for each in trace.backwards if _is_in_same_block(use, each.where)]
    steps = [each.where for each in _calls(trace, use, "step")]
    return (
        len(backwards) == len(steps) == 1
        and not _calls(trace, use, "step", of_others=True)
        and all(trace.is_before(each.statement, use.where.statement) for each in (*backwards, *steps))
    )


def _is_in_same_block(use: Use, other: Surroundings) -> bool:
    where = use.where
    return (where.context, where.function, where.accumulating, where.loops) == (
        other.context,
        other.function,
        other.accumulating,
        other.loops,
    )


def _optimizers(trace: Trace, use: Use) -> set[ObjectId]:
    """Return the optimizers that ``use`` zeroes the gradients of: itself, or those of the model."""
    roots = {trace.root(number) for number, _ in use.value}
    models = {root for root in roots if trace.role(root) is Role.MODEL}
    owners = [number for number in trace.objects_of(Role.OPTIMIZER) if not trace.objects[number].part_of]
    return (roots - models) | {trace.root(number) for number in owners if trace.models_of(number) & models}


def _calls(trace: Trace, use: Use, method: str, *, of_others: bool = False) -> list[Use]:
    """Return the calls of ``method`` in the block of ``use`` on the optimizers it zeroes, or on other optimizers."""
    roots = _optimizers(trace, use)
    found = []
    for each in trace.uses:
        if each.kind is UseKind.METHOD and each.name == method and _is_in_same_block(use, each.where):
            numbers = {trace.root(number) for number, _ in each.value}
            is_other = not numbers & roots and any(trace.role(number) is Role.OPTIMIZER for number in numbers)
            if is_other if of_others else numbers & roots:
                found.append(each)
    return found


def _find_step(trace: Trace, use: Use) -> Use | str:
    """Return the step that ``use`` can move behind, or why there is none."""
    if _calls(trace, use, "step", of_others=True):
        return "several optimizers step in the block: one may have to clear what the loss of another leaves behind"
    steps = _calls(trace, use, "step")
    if len(steps) != 1:
        return "its optimizer " + ("steps in several places of the block" if steps else "does not step in the block")
    step = steps[0]
    if not trace.is_statement(use.call):
        return "it is part of a larger expression"
    if trace.outline.between(use.where.statement, step.where.statement) is None:
        return f"it does not stand in one block with the step on line {trace.line(step.node)}"
    return step


def _last_step(trace: Trace, step: Use) -> ast.stmt:
    """Return the last statement behind ``step`` in its block that steps something, such as a scheduler."""
    statements = {
        id(each.where.statement) for each in trace.uses if each.name == "step" and trace.is_statement(each.call)
    }
    spot = trace.outline.spot(step.where.statement)
    later = [each for each in spot.siblings[spot.index :] if id(each) in statements]
    return later[-1] if later else step.where.statement


def _propose(trace: Trace, use: Use) -> Proposal | str:
    if any(stage is not Stage.PREPARED and trace.comes_in_raw(number) for number, stage in use.value):
        return (
            "the optimizer that zeroes is not the prepared one: it would do so on every micro batch wherever it stands"
        )
    step = _find_step(trace, use)
    if isinstance(step, str):
        return step
    again = [each for each in _calls(trace, use, "zero_grad") if each.node is not use.node]
    if len(again) == 1 and trace.is_before(step.where.statement, again[0].where.statement):
        drop = DropStatement(trace.span(use.where.statement))
        return Proposal(f"Leave it to line {trace.line(again[0].node)}", Applicability.UNSAFE, (drop,))
    if again:
        return "the gradients are zeroed in several places of the block"
    last = _last_step(trace, step)
    certain = (
        all(stage is Stage.PREPARED for _, stage in use.value)
        and not _reads_gradients(trace, use, step)
        and not _others_touch_gradients(trace, use, step)
    )
    move = MoveStatement(trace.span(use.where.statement), trace.span(last))
    title = f"Move it behind line {trace.line(last)}"
    return Proposal(title, Applicability.SAFE if certain else Applicability.UNSAFE, (move,))


def _others_touch_gradients(trace: Trace, use: Use, step: Use) -> bool:
    """Return whether something else may leave gradients behind for ``use`` to clear, or read them later.

    Another backward may reach the same parameters, and so may whatever is handed the model or its parameters.
    """
    if len({id(backward.node) for backward in trace.backwards}) > 1:
        return True
    models = {model for number in _optimizers(trace, use) for model in trace.models_of(number)}
    return any(
        (each.kind is UseKind.ARGUMENT or _asks_later(trace, each, step))
        and each.where.loops[: len(use.where.loops)] == use.where.loops
        and any(trace.root(number) in models or trace.parameter_owners(number) & models for number, _ in each.value)
        for each in trace.uses
    )


def _asks_later(trace: Trace, use: Use, step: Use) -> bool:
    """Return whether a model is asked for its parameters behind the step: their gradients may be looked at."""
    return trace.asks_for_parameters(use) and trace.is_before(step.where.statement, use.where.statement)


def _propose_for_model(trace: Trace, use: Use) -> Proposal | str:
    """Return the optimizer's own ``zero_grad`` behind its step: that one skips micro batches, the model's does not."""
    step = _find_step(trace, use)
    if isinstance(step, str):
        return step
    others = [each for each in _calls(trace, use, "zero_grad") if each.node is not use.node]
    if any(trace.is_before(step.where.statement, each.node) for each in others):
        drop = DropStatement(trace.span(use.where.statement))
        return Proposal("Leave it to the optimizer, which does so behind its step", Applicability.UNSAFE, (drop,))
    if trace.is_before(step.where.statement, use.where.statement):
        replace = ReplaceExpression(trace.span(use.node), trace.text(step.node))
        return Proposal("Let the optimizer do so", Applicability.UNSAFE, (replace,))
    last = _last_step(trace, step)
    move = MoveStatement(trace.span(use.where.statement), trace.span(last), f"{trace.text(step.node)}.zero_grad()")
    title = f"Let the optimizer do so, behind line {trace.line(last)}"
    return Proposal(title, Applicability.UNSAFE, (move,))


def _reads_gradients(trace: Trace, use: Use, step: Use) -> bool:
    """Return whether something other than what stands from ``use`` to ``step`` reads gradients, which were still there
    after the step."""
    first, last = trace.line(use.where.statement), trace.line(step.where.statement)
    return any(not first <= trace.line(node) <= last for node in trace.attributes("grad"))
