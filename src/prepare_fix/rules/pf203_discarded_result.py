"""PF203: nobody takes what prepare returns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Binding, PrepareCall, Use
from prepare_fix.flow.objects import ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import BindTargets
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.joining import frozen_fields, lost_behind, with_reads
from prepare_fix.rules.reading import root_of
from prepare_fix.rules.story import enumerate_names, report, tell_use


class DiscardedResult(Rule):
    """The result of ``Accelerator.prepare`` is thrown away and the script trains with the arguments.

    What it does:
        Finds prepare calls that stand as a statement of their own, where the objects handed over are used for training
        afterwards.

    Why it matters:
        ``prepare`` wraps, it does not change its arguments (one process keeps the model object, never the optimizer,
        loader or scheduler). On one process the script is right by luck; with accumulation the raw optimizer steps on
        every micro batch; on two processes every rank sees all the data and the gradients of the raw model are not
        averaged.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            accelerator.prepare(model, optimizer, loader)
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
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe for names and attributes without a scheduler among them, else unsafe: a prepared scheduler advances once
        per process. None where an argument has no place to be assigned to.

    Limits:
        Silent where the objects are not used for training afterwards.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``).
    """

    code = "PF203"
    name = "discarded-result"
    summary = "The result of prepare is thrown away"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each thrown away result whose arguments train."""
        for call in trace.prepare_calls:
            if call.binding is Binding.DISCARDED:
                stale = trace.stale_training_uses(call)
                if stale:
                    yield self._finding(trace, call, stale)

    def _finding(self, trace: Trace, call: PrepareCall, stale: tuple[Use, ...]) -> Finding:
        names = list(dict.fromkeys(trace.text(use.node) for use in stale))
        story = (
            f"nobody takes what prepare returns on line {trace.line(call.node)}, and training goes on with the raw "
            f"{enumerate_names(names)} (line {trace.line(stale[0].node)})"
        )
        consequence = (
            "with accumulation the optimizer steps on every micro batch, on several processes every rank sees all the "
            "data and gradients are not averaged"
        )
        objects = tuple(tell_use(trace, use) for use in _one_for_each(trace, stale))
        key = f"{trace.scope(call.where.statement)}:{','.join(trace.text(a.node) for a in call.arguments)}"
        span, proposal = trace.span(call.node), _propose(trace, call)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _one_for_each(trace: Trace, uses: tuple[Use, ...]) -> Iterator[Use]:
    """Yield the first use of each object."""
    done: set[ObjectId] = set()
    for use in uses:
        number = root_of(trace, use)
        if number not in done:
            done.add(number)
            yield use


def _propose(trace: Trace, call: PrepareCall) -> Proposal | str:
    places = [argument.place for argument in call.arguments]
    if call.count is None or None in places:
        return "an argument is not a name or attribute that the result could be assigned to"
    outer = next((str(place) for place in places if place not in call.before), None)
    if outer is not None:
        return f"`{outer}` belongs to an enclosing function: assigning it here would make another variable"
    frozen = frozen_fields(trace, call, places)
    if frozen:
        return frozen
    roles = {trace.role(number) for argument in call.arguments for number, _ in argument.value}
    is_item = any(isinstance(argument.node, ast.Subscript) for argument in call.arguments)
    lost = lost_behind(trace, call, range(len(call.arguments)))
    applicability = Applicability.UNSAFE if Role.SCHEDULER in roles or is_item or lost else Applicability.SAFE
    targets = tuple(trace.text(argument.node) for argument in call.arguments)
    return Proposal(
        with_reads("Assign the result to the arguments", lost), applicability, (BindTargets(trace.site(call), targets),)
    )
