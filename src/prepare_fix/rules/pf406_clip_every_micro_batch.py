"""PF406: gradients are clipped on every micro batch, before all of them have come in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import AcceleratorCall, SymbolCall
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import GuardStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.story import clipped, note, report, tell_owners

_METHODS = frozenset({"clip_grad_norm_", "clip_grad_value_"})
_INFINITE = re.compile(r"\binf\b|\binfinity\b", re.IGNORECASE)


class ClipEveryMicroBatch(Rule):
    """Gradients are clipped inside ``accumulate`` without asking ``accelerator.sync_gradients``.

    What it does:
        Finds gradient clipping inside a ``with accelerator.accumulate(...)`` block that runs on every micro batch,
        where the accelerator was built with an accumulation count or comes from outside the file.

    Why it matters:
        With accumulation the sum of the gradients is clipped again and again while it is gathered, instead of once when
        it is complete: wrong parameters on one process and on several.

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
                    accelerator.backward(model(batch).mean())
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
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
                    if accelerator.sync_gradients:
                        accelerator.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the gradients that a step sees become larger. None where the norm that comes back is used, since
        it would be missing on the micro batches in between.

    Limits:
        Silent where the accelerator is built without a count, where the norm is only measured (an infinite maximum),
        and under conditions that may differ from one micro batch to the next.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``clip_grad_norm_``, ``accumulate``).
    """

    code = "PF406"
    name = "clip-every-micro-batch"
    summary = "Gradients are clipped on every micro batch instead of once per update"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each clipping that runs on every micro batch."""
        for call in trace.clip_calls:
            block = trace.accumulate_block(call.where)
            if block is None or not trace.may_accumulate(block.accelerator) or _only_measures(trace, call):
                continue
            statement = trace.with_statement(block)
            if statement is not None and not trace.differs_by_round(call.where, block.where, statement):
                yield self._finding(trace, call, block)

    def _finding(self, trace: Trace, call: AcceleratorCall | SymbolCall, block: AcceleratorCall) -> Finding:
        what = clipped(trace, call.node)
        accelerator = trace.text(block.receiver)
        story = (
            f"the gradients of `{what}` are clipped on line {trace.line(call.node)} for every micro batch of the "
            f"`accumulate` block that begins on line {trace.line(block.node)}"
        )
        consequence = "with gradient accumulation they are clipped before they are complete"
        key = f"{trace.scope(call.where.statement)}:{what}"
        proposal = _propose(trace, call, accelerator)
        objects = tell_owners(trace, call.arguments[0]) if call.arguments else ()
        notes = (
            note(trace, block.node, block.where.context, "the `accumulate` block begins"),
            note(trace, call.node, call.where.context, "clips on every micro batch"),
        )
        span = trace.span(call.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _only_measures(trace: Trace, call: AcceleratorCall | SymbolCall) -> bool:
    limits = [
        *call.node.args[1:2],
        *(word.value for word in call.node.keywords if word.arg in {"max_norm", "clip_value"}),
    ]
    return any(_INFINITE.search(trace.text(limit)) for limit in limits)


def _propose(trace: Trace, call: AcceleratorCall | SymbolCall, accelerator: str) -> Proposal | str:
    statement = call.where.statement
    test = f"{accelerator}.sync_gradients"
    if not trace.is_statement(call.node):
        return f"the norm that it returns is used: put both under `if {test}:`"
    if not isinstance(statement, ast.Expr):
        return "it does not stand on a line of its own"
    guard = GuardStatement(trace.span(statement), test)
    return Proposal("Clip once per update", Applicability.UNSAFE, (guard,))
