"""PF403: an accumulation count is configured, and the loop that trains does not accumulate."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import AcceleratorCall, Backward
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.accumulating import Left, MicroBatch, find_left, find_micro_batch, propose_wrapping
from prepare_fix.rules.story import enumerate_names, note, note_count, report, tell_use


class MissingAccumulate(Rule):
    """The accelerator is built with an accumulation count, and the training loop has no ``accumulate``.

    What it does:
        Finds training loops in which the optimizer steps on every micro batch, without ``accelerator.accumulate`` or
        ``no_sync``, although the accelerator was built with ``gradient_accumulation_steps`` (or a plugin). Also finds
        ``accumulate`` calls that name some of the models that their block trains.

    Why it matters:
        ``accelerator.backward`` divides the loss by the count, but without ``accumulate`` the optimizer steps on every
        micro batch: wrong parameters on one process and on several. A model that ``accumulate`` does not name trains to
        the same result; its gradients are exchanged on every micro batch for nothing.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator(gradient_accumulation_steps=4)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
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
        Always unsafe: the script takes fewer, larger steps then, and a schedule that is as long as the loop has micro
        batches only gets part of the way. A ``zero_grad`` at the top of the loop stays in front of the block, where it
        is right, and clipping goes under ``if accelerator.sync_gradients``. None where forward, backward and step do
        not stand in the loop itself, or where ``zero_grad`` stands between them.

    Limits:
        Silent where the script sets ``sync_gradients``, steps under a condition, or steps outside the loop over
        micro batches: it accumulates by hand. Loops that do not walk a loader are not looked at.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``accumulate``, ``backward``).
    """

    code = "PF403"
    name = "missing-accumulate"
    summary = "An accumulation count is configured, and the training loop does not accumulate"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each loop without ``accumulate``, and for blocks that name too few models."""
        for backward in trace.backwards:
            micro_batch = find_micro_batch(trace, backward)
            if micro_batch is not None:
                yield self._finding(trace, backward, micro_batch)
        for call in trace.accelerator_calls:
            left = find_left(trace, call)
            if left is not None:
                yield self._too_few(trace, call, left)

    def _finding(self, trace: Trace, backward: Backward, micro_batch: MicroBatch) -> Finding:
        step, loop = micro_batch.steps[0], trace.line(micro_batch.loop)
        line = trace.line(backward.node)
        divided = "" if backward.plain else f"the loss is divided by the count on line {line}, and "
        count = micro_batch.count
        story = (
            f"the accelerator is given the count `{trace.text(count)}` on line {trace.line(count)}, but the loop on "
            f"line {loop} does not accumulate"
        )
        consequence = f"{divided}`{trace.text(step.node)}` steps on every micro batch on line {trace.line(step.node)}"
        key = trace.scope(micro_batch.loop)
        proposal = propose_wrapping(trace, backward, micro_batch)
        objects = (tell_use(trace, step, "steps on every micro batch"),)
        context = backward.where.context
        notes = (
            note_count(trace, count, micro_batch.owners),
            note(trace, micro_batch.loop, micro_batch.walk.where.context, "the loop does not accumulate"),
            note(trace, backward.node, context, "the loss goes backward"),
        )
        span = trace.span(backward.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)

    def _too_few(self, trace: Trace, call: AcceleratorCall, left: Left) -> Finding:
        names = enumerate_names(left.calls)
        story = f"the block under `accumulate` on line {trace.line(call.node)} trains {names} as well"
        consequence = (
            "the results are the same, the gradients that are not named are exchanged on every micro batch for nothing"
        )
        last = call.node.args[-1]
        repair = ReplaceExpression(trace.span(last), ", ".join([trace.text(last), *left.calls]))
        proposal = Proposal(f"Name {names} too", Applicability.UNSAFE, (repair,))
        key = f"{trace.scope(call.where.statement)}:{ast.unparse(call.node)}"
        objects = tuple(tell_use(trace, use) for use in left.calls.values())
        notes = (note(trace, call.node, call.where.context, "the block names too few models"),)
        span = trace.span(call.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)
