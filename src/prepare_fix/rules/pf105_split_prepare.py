"""PF105: a model and its optimizer go through two prepare calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import PrepareCall
from prepare_fix.flow.objects import ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import MergePrepares
from prepare_fix.rules import Rule
from prepare_fix.rules.joining import can_take_targets
from prepare_fix.rules.releases import has_fsdp2
from prepare_fix.rules.story import name_in, report, tell

_FLAT_PARAMETERS = re.compile(r"use_orig_params\s*=\s*False")


class SplitPrepare(Rule):
    """A model and the optimizer that trains it go through two ``prepare`` calls.

    What it does:
        Finds optimizers that are prepared in another call than the model they were built from, one after the other.

    Why it matters:
        On one process and under DDP two calls give the same numbers as one. Under FSDP2 ``prepare`` raises a
        ValueError: it has to exchange the optimizer's parameters when it shards the model. DeepSpeed wants a DataLoader
        in the same call as well. An older recipe for FSDP1 prepares the model first and builds the optimizer from the
        result; there it is right.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model = accelerator.prepare(model)
            optimizer, loader = accelerator.prepare(optimizer, loader)
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
        Always unsafe: with FSDP1 and ``use_orig_params=False`` an optimizer that is built from the raw model trains
        nothing. None where the script sets that, or where code between the calls uses what the first one returns.

    Limits:
        Only pairs are looked at: loaders, schedulers and models without an optimizer may have calls of their own.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, lines 1517 to 1522), docs ``fsdp.md``.
    """

    code = "PF105"
    name = "split-prepare"
    summary = "A model and its optimizer go through two prepare calls"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each optimizer that is prepared apart from its model."""
        calls = {call.key: call for call in trace.prepare_calls}
        for call in trace.prepare_calls:
            for number, role in _objects(trace, call):
                if role is Role.OPTIMIZER:
                    yield from self._check_optimizer(trace, calls, call, number)

    def _check_optimizer(
        self, trace: Trace, calls: dict[int, PrepareCall], call: PrepareCall, optimizer: ObjectId
    ) -> Iterator[Finding]:
        models = trace.models_of(optimizer)
        of_models = {
            other.key: other
            for model in sorted(models)
            for other in trace.prepared_with(model)
            if not _is_in_a_list(trace, other, model)
        }
        if not of_models or call.key in of_models:
            return
        for other in of_models.values():
            if other.accelerator != call.accelerator or other.node is call.node:
                continue
            if other.key in call.earlier or call.key in other.earlier:
                first, second = (other, call) if other.key in call.earlier else (call, other)
                model = next(model for model in sorted(models) if other in trace.prepared_with(model))
                yield self._finding(trace, first, second, (other, model), (call, optimizer))
                return

    def _finding(
        self,
        trace: Trace,
        first: PrepareCall,
        second: PrepareCall,
        model: tuple[PrepareCall, ObjectId],
        optimizer: tuple[PrepareCall, ObjectId],
    ) -> Finding:
        model_name, optimizer_name = name_in(trace, *model), name_in(trace, *optimizer)
        story = (
            f"`{model_name}` is prepared on line {trace.line(model[0].node)} and its optimizer `{optimizer_name}` in "
            f"another call on line {trace.line(optimizer[0].node)}"
        )
        consequence = "the same numbers on one process and under DDP, "
        if has_fsdp2(trace):
            consequence += "a ValueError under FSDP2, which needs both in one call"
        else:
            consequence += f"but FSDP2, from accelerate 1.6 on, needs both in one call ({trace.releases.stated})"
        objects = (tell(trace, model_name, model[1], ()), tell(trace, optimizer_name, optimizer[1], ()))
        key = f"{trace.scope(second.where.statement)}:{model_name},{optimizer_name}"
        proposal = _propose(trace, first, second)
        span = trace.span(second.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _objects(trace: Trace, call: PrepareCall) -> list[tuple[ObjectId, Role]]:
    return [(number, trace.role(number)) for number in sorted(_handed_over(trace, call))]


def _handed_over(trace: Trace, call: PrepareCall) -> set[ObjectId]:
    return {trace.root(n) for argument in call.arguments for n, _ in argument.value if n in trace.objects}


def _is_in_a_list(trace: Trace, call: PrepareCall, model: ObjectId) -> bool:
    """Return whether a model is handed to prepare within a list or the like alone, which comes back untouched."""
    inside = {trace.root(n) for argument in call.arguments for n, _ in argument.members if n in trace.objects}
    return model in inside and model not in _handed_over(trace, call)


def _propose(trace: Trace, first: PrepareCall, second: PrepareCall) -> Proposal | str:
    obstacle = can_take_targets(first, explicit=True) or can_take_targets(second, explicit=True)
    if obstacle:
        return obstacle
    if _FLAT_PARAMETERS.search(trace.source.text):
        return (
            "with use_orig_params=False the optimizer has to be built from the prepared model, so two calls are right"
        )
    between = trace.outline.between(first.where.statement, second.where.statement)
    if between is None or not trace.outline.precedes(first.where.statement, second.where.statement):
        return "the two calls do not stand in one block"
    if any(argument.place != target for argument, target in zip(first.arguments, first.targets, strict=True)):
        return f"the call on line {trace.line(first.node)} gives its results other names than its arguments"
    places = [target for target in first.targets if target is not None]
    user = next(
        (each for each in between if trace.mentions(each, places) and not trace.takes_only_parameters(each, places)),
        None,
    )
    if user is not None:
        return f"line {trace.line(user)}, between the calls, uses what the first one returns"
    return Proposal(
        f"Prepare both in the call on line {trace.line(second.node)}",
        Applicability.UNSAFE,
        (MergePrepares(trace.site(first), trace.site(second)),),
    )
