"""PF401: the loss of prepared objects goes backward around the accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Backward, Use
from prepare_fix.flow.objects import ObjectId, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import CallAccelerator
from prepare_fix.rules import Rule
from prepare_fix.rules.dividing import undo_division
from prepare_fix.rules.reading import NOT_AT_HAND, at_hand
from prepare_fix.rules.story import note, report, tell_use


class PlainBackward(Rule):
    """``loss.backward()`` on the loss of a prepared model.

    What it does:
        Finds ``.backward()`` calls on a loss that is computed by prepared objects, where an accelerator is at hand.

    Why it matters:
        In full precision and without gradient accumulation nothing is wrong. With accumulation the loss is not divided
        by the number of micro batches: gradients are that many times too big. With fp16 the loss is not scaled and the
        step raises an AssertionError (measured with an emulated scaler).

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                loss = model(batch).mean()
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe where a prepared optimizer steps and the loss is not divided by hand. Unsafe where the optimizer is not
        prepared: it would step on gradients that are divided by the accumulation count, or still scaled for fp16.
        Unsafe where the loss may be divided by hand: the file divides by a count elsewhere, or an imported function
        divides the loss. Unsafe where the accelerator has an accumulation count and the backward stands under no
        ``accumulate``, for the accelerator divides the loss by the count. Unsafe, and together with the division, where
        the loss is divided by hand and the accelerator has a count. None where it is and the accelerator has none, and
        for a positional gradient, which ``Accelerator.backward`` can't pass on.

    Limits:
        Silent in branches that run without an accelerator, for a GradScaler of the script's own, and where the loss has
        nothing to do with prepared objects.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``backward``).
    """

    code = "PF401"
    name = "plain-backward"
    summary = "loss.backward() on the loss of a prepared model"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each plain backward on a loss of prepared objects."""
        for backward in trace.backwards:
            if not backward.plain or not backward.accelerators or trace.is_without_accelerator(backward.where):
                continue
            if trace.has_other_way(backward.node, "backward"):
                continue  # the arm for runs without an accelerator
            calls = trace.model_calls_behind(backward.loss)
            if calls and not _is_scaled(trace, backward):
                yield self._finding(trace, backward, calls)

    def _finding(self, trace: Trace, backward: Backward, calls: tuple[Use, ...]) -> Finding:
        call = calls[0]
        model, objects = trace.text(call.node), (tell_use(trace, call),)
        loss = trace.text(backward.loss_node)
        is_stale = any(stage is Stage.SUPERSEDED for _, stage in call.value)
        told = f"`{model}`, which prepare has replaced," if is_stale else f"the prepared `{model}`"
        story = (
            f"`{loss}` is computed by {told} and goes backward without the accelerator on line "
            f"{trace.line(backward.node)}"
        )
        consequence = _consequence(trace, backward)
        key = f"{trace.scope(backward.where.statement)}:{loss}"
        proposal = _propose(trace, backward, calls)
        notes = (note(trace, backward.node, backward.where.context, "goes backward without the accelerator"),)
        span = trace.span(backward.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _consequence(trace: Trace, backward: Backward) -> str:
    if trace.divisions_by_count(backward.loss, trace.accumulation(_owners(trace, backward))):
        return "with fp16 the loss is not scaled and the step fails; without, the division by hand makes up for it"
    return (
        "with gradient accumulation the loss is not divided by the number of micro batches, with fp16 it is not scaled "
        "and the step fails"
    )


def _is_scaled(trace: Trace, backward: Backward) -> bool:
    receiver = backward.loss_node
    scaled = (
        isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Attribute) and receiver.func.attr == "scale"
    )
    return scaled or trace.is_scaled_by_hand(backward.loss)


def _propose(trace: Trace, backward: Backward, calls: tuple[Use, ...]) -> Proposal | str:
    if backward.node.args:
        return "`Accelerator.backward` can't pass on a positional gradient"
    # Where all models may be raw, there may be no accelerator.
    unsure = all(any(stage is Stage.RAW for _, stage in call.value) for call in calls)
    accelerator = at_hand(trace, backward.accelerators, [backward.where.statement] if unsure else [])
    if not accelerator:
        return NOT_AT_HAND
    call = CallAccelerator(trace.span(backward.node), accelerator, "backward", receiver_is_argument=True)
    count = trace.accumulation(_owners(trace, backward))
    divisions = trace.divisions_by_count(backward.loss, count)
    title = f"Call `{accelerator}.backward`"
    if any(each.node is backward.node and not trace.model_calls_behind(each.loss) for each in trace.backwards):
        return Proposal(f"{title} (losses of raw models go the same way)", Applicability.UNSAFE, (call,))
    if not divisions:
        if trace.may_divide_by_count(backward.loss, count):
            return Proposal(f"{title} (look whether the loss is divided by hand)", Applicability.UNSAFE, (call,))
        if count is not None and not backward.where.accumulating:
            return Proposal(f"{title} (it divides the loss, and nothing accumulates)", Applicability.UNSAFE, (call,))
        if _steps_raw(trace, backward):
            return Proposal(f"{title} (safe once the optimizer is prepared)", Applicability.UNSAFE, (call,))
        return Proposal(title, Applicability.SAFE, (call,))
    if count is None:
        return (
            f"the loss is divided by hand on line {trace.line(divisions[0])} and the accelerator has no accumulation "
            f"count: give it one and drop the division, together with this"
        )
    undone = [undo_division(trace, division, count) for division in divisions]
    repairs = [repair for repair in undone if repair is not None]
    if len(repairs) < len(divisions) or len(repairs) > 1:
        return (
            f"the loss is divided by hand on line {trace.line(divisions[0])}, and the accelerator would divide it again"
        )
    return Proposal(f"{title} and leave the division to it", Applicability.UNSAFE, (call, *repairs))


def _steps_raw(trace: Trace, backward: Backward) -> bool:
    """Return whether an unprepared optimizer steps: on each batch, and on gradients that nobody unscales for it."""
    uses = trace.model_calls_behind(backward.loss)
    models = {trace.whole(trace.root(number)) for use in uses for number, _ in use.value}
    return bool(trace.raw_steps(models))


def _owners(trace: Trace, backward: Backward) -> frozenset[ObjectId]:
    """Return the accelerators that prepared the models of a loss."""
    numbers = {number for use in trace.model_calls_behind(backward.loss) for number, _ in use.value}
    return frozenset(owner for n in numbers for call in trace.prepared_with(n) for owner in call.accelerator)
