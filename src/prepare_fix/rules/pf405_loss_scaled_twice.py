"""PF405: the loss is divided by the number of micro batches, and the accelerator divides it again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Backward
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.dividing import undo_division
from prepare_fix.rules.story import note, note_count, report, tell_use


class LossScaledTwice(Rule):
    """The loss is divided by the accumulation count by hand, and by ``Accelerator.backward`` once more.

    What it does:
        Finds losses that are divided by the number of micro batches (with ``/``, ``.div``, ``.div_`` or ``torch.div``)
        and then go through ``accelerator.backward``, where the accelerator was built with a
        ``gradient_accumulation_steps`` (or plugin) of its own.

    Why it matters:
        ``Accelerator.backward`` divides the loss by the count that it was given. With accumulation the gradients are
        then that many times too small: wrong parameters on one process and on several.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader, steps):
            accelerator = Accelerator(gradient_accumulation_steps=steps)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                with accelerator.accumulate(model):
                    loss = model(batch).mean() / steps
                    accelerator.backward(loss)
                    optimizer.step()
                    optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader, steps):
            accelerator = Accelerator(gradient_accumulation_steps=steps)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                with accelerator.accumulate(model):
                    loss = model(batch).mean()
                    accelerator.backward(loss)
                    optimizer.step()
                    optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the gradients become larger, and a learning rate may have been chosen to fit the small ones. None
        where several divisions lead to one loss, or where the divisor is not written as the accelerator's count is.

    Limits:
        Silent for an accelerator without a count, where the division is right (accumulation made by hand), and for a
        divisor that is not known to be the count: another number, the length of a loader, the mean of several losses,
        what an imported function divides by.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``backward``, line 2851).
    """

    code = "PF405"
    name = "loss-scaled-twice"
    summary = "The loss is divided by the accumulation count by hand and by the accelerator"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each division by the count that the accelerator makes as well."""
        for backward in trace.backwards:
            count = None if backward.plain else trace.accumulation(backward.owners)
            if count is None or trace.is_without_accelerator(backward.where):
                continue
            divisions = trace.divisions_by_count(backward.loss, count)
            for division in divisions:
                yield self._finding(trace, backward, division, count, only=len(divisions) == 1)

    def _finding(self, trace: Trace, backward: Backward, division: ast.AST, count: ast.expr, *, only: bool) -> Finding:
        loss = trace.text(backward.loss_node)
        story = (
            f"the loss is divided by hand on line {trace.line(division)}, and once more by `accelerator.backward` on "
            f"line {trace.line(backward.node)}, since the accelerator is given the count `{trace.text(count)}` on line "
            f"{trace.line(count)}"
        )
        statement = trace.statement_of(division) or backward.where.statement
        key = f"{trace.scope(statement)}:{loss}"
        repair = undo_division(trace, division, count)
        proposal: Proposal | str = (
            "the loss is divided in several places: leave the one that is meant"
            if not only
            else "it can't be told that both divide by the same number: leave the division that is meant"
        )
        if repair is not None and only:
            proposal = Proposal("Leave the division to the accelerator", Applicability.UNSAFE, (repair,))
        context = backward.where.context
        objects = tuple(tell_use(trace, use) for use in trace.model_calls_behind(backward.loss)[:1])
        notes = (
            note_count(trace, count, backward.owners),
            note(trace, division, context, "the loss is divided by hand"),
            note(trace, backward.node, context, "the accelerator divides it too"),
        )
        consequence = "with accumulation the gradients are that many times too small"
        span = trace.span(division)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)
