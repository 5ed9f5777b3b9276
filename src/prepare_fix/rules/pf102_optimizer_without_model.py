"""PF102: the optimizer is prepared, its model is not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prepare_fix.findings import Finding, Proposal
from prepare_fix.flow.events import PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.joining import propose_join
from prepare_fix.rules.releases import has_fsdp2
from prepare_fix.rules.story import origin, report, tell

# Each begins with a literal, which ``re`` finds at once.
_REDUCES_BY_HAND = (
    re.compile(r"all_reduce(?<!\wall_reduce)\b"),
    re.compile(r"reduce_gradients(?<!\wreduce_gradients)\b"),
    re.compile(r"LocalSGD"),
)


class OptimizerWithoutModel(Rule):
    """An optimizer goes through ``Accelerator.prepare``, the model that it trains does not.

    What it does:
        Finds models that are called for a loss and are prepared on no path, while the optimizer that was built from
        their parameters is prepared.

    Why it matters:
        On one process the script trains rightly. On two processes nobody averages the gradients: the ranks diverge from
        the first step, without a message. Under FSDP2 ``prepare`` raises a ValueError.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(loader):
            accelerator = Accelerator()
            model = torch.nn.Linear(4, 1).to(accelerator.device)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            optimizer, loader = accelerator.prepare(optimizer, loader)
            for batch in loader:
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(loader):
            accelerator = Accelerator()
            model = torch.nn.Linear(4, 1).to(accelerator.device)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe where the model is the only one that the optimizer was built from, joins in place, and nothing later reads
        attributes, methods or the state dict of the model, which is wrapped from then on. Unsafe otherwise.

    Limits:
        Silent where several models share the optimizer, one of them is prepared and this one may be frozen, where the
        model is wrapped by hand, where gradients are reduced by hand, and where the model may be prepared elsewhere.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, ``prepare_model``).
    """

    code = "PF102"
    name = "optimizer-without-model"
    summary = "The optimizer is prepared, the model that it trains is not"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepared optimizer whose model trains unprepared."""
        if "reduce" in trace.accelerator_methods():
            return
        if any(pattern.search(trace.source.text) for pattern in _REDUCES_BY_HAND):
            return
        for call in trace.prepare_calls:
            for index, argument in enumerate(call.arguments):
                for number, stage in argument.value:
                    if stage is Stage.RAW and trace.role(number) is Role.OPTIMIZER:
                        yield from self._check_optimizer(trace, call, index, number)

    def _check_optimizer(self, trace: Trace, call: PrepareCall, index: int, optimizer: ObjectId) -> Iterator[Finding]:
        models = trace.models_of(optimizer)
        raw = [model for model in sorted(models) if not trace.is_prepared_somehow(model)]
        for model in raw:
            uses = _training_uses(trace, model)
            # One of several models may be frozen, and then has no gradients to average.
            if uses and (len(raw) == len(models) or not trace.may_be_frozen(model)):
                yield self._finding(trace, call, index, optimizer, model, uses, len(models) == 1)

    def _finding(
        self,
        trace: Trace,
        call: PrepareCall,
        index: int,
        optimizer: ObjectId,
        model: ObjectId,
        uses: tuple[Use, ...],
        alone: bool,
    ) -> Finding:
        optimizer_name = trace.text(call.arguments[index].node)
        name = trace.text(uses[0].node)
        story = (
            f"the model `{name}` ({origin(trace, model)}) is called for the loss on line {trace.line(uses[0].node)} "
            f"but never goes through prepare, while its optimizer `{optimizer_name}` is prepared on line "
            f"{trace.line(call.node)}"
        )
        consequence = "on several processes its gradients are never averaged and the ranks diverge"
        if has_fsdp2(trace):
            consequence += "; under FSDP2 prepare raises a ValueError"
        proposal: Proposal | str = (
            "several models share the optimizer: which of them belong into the call is yours to say"
        )
        if alone:
            proposal = propose_join(trace, call, frozenset({model}), Role.MODEL, uses, index)
        objects = (
            tell(trace, name, model, uses, "is called for the loss"),
            tell(trace, optimizer_name, optimizer, ()),
        )
        key = f"{trace.scope(call.where.statement)}:{name}"
        span = trace.span(call.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _training_uses(trace: Trace, model: ObjectId) -> tuple[Use, ...]:
    """Return the uses of an unprepared model that lead to a backward; none where it may be prepared elsewhere."""
    obj = trace.objects[model]
    may_come_prepared = obj.kind is Kind.PARAMETER and not trace.comes_in_raw(model)
    if may_come_prepared or obj.kind not in {Kind.OBJECT, Kind.PARAMETER} or trace.is_touched_by_gap(model):
        return ()
    if trace.may_prepare_itself(model) or trace.is_wrapped_by_hand(model):
        return ()
    return tuple(
        use
        for use in trace.uses_of(model)
        if use.kind in {UseKind.CALL, UseKind.METHOD} and not trace.asks_for_parameters(use)
        if trace.is_training(use) and not trace.is_without_accelerator(use.where)
    )
