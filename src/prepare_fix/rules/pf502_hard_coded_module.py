"""PF502: a script takes the bare model out of its wrapper by name, wrapper or not."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Use, UseKind
from prepare_fix.flow.objects import Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.reading import by_expression, propose_unwrap, root_of, trains_unwrapped, written
from prepare_fix.rules.releases import has_fsdp2
from prepare_fix.rules.story import describe, report, tell

_GOES_INTO_THE_LOSS = (
    "what it gives goes into the loss, around the wrapper: on several processes gradients are not exchanged. Let "
    "`forward` of the model do this, and call the prepared model"
)


class HardCodedModule(Rule):
    """``.module`` of a prepared model, which is there only where there is a wrapper.

    What it does:
        Finds ``model.module`` on a prepared model, outside any condition that asks for the wrapper.

    Why it matters:
        The wrapper of DDP has that attribute. On one process, and under FSDP2, prepare gives no wrapper and the read
        raises an AttributeError: the script can't be tried out on one GPU.

    Example:
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
            return model.module
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
            return accelerator.unwrap_model(model)
        ```

    Fix safety:
        Safe: ``unwrap_model`` gives the same object where there is a wrapper, and the model where there is none. None
        where what is taken computes the loss: PF303 tells of the call, and a method has to move into ``forward``.

    Limits:
        Silent where a condition, or an ``except``, asks for the wrapper or for the number of processes, where the
        model's class has a ``module`` of its own, and for models that are not known to be prepared.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare_model``, ``unwrap_model``).
    """

    code = "PF502"
    name = "hard-coded-module"
    summary = "`.module` of a prepared model, which one process does not have"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each ``.module`` of a prepared model."""
        for uses in by_expression(use for use in trace.wrapped_reads if _takes_module(trace, use)):
            if not any(trains_unwrapped(trace, each) for use in uses for each in (use, *_next(trace, use))):
                yield self._finding(trace, uses)

    def _finding(self, trace: Trace, uses: list[Use]) -> Finding:
        use = uses[0]
        name, node = trace.text(use.node), written(use)
        model = describe(trace, name, root_of(trace, use))
        call = trace.prepared_with(root_of(trace, use))[0]
        story = (
            f"`{name}.module` on line {trace.line(node)} takes {model} out of a wrapper that prepare on line "
            f"{trace.line(call.node)} makes under DDP only"
        )
        sharded = ", and under FSDP2," if has_fsdp2(trace) else ""
        consequence = f"on one process{sharded} this is an AttributeError"
        return report(
            self,
            trace,
            story,
            consequence,
            trace.span(node),
            f"{trace.scope(use.where.statement)}:{name}",
            objects=(tell(trace, name, root_of(trace, use), (use,), "is taken out of its wrapper"),),
            proposal=_propose(trace, uses),
        )


def _takes_module(trace: Trace, use: Use) -> bool:
    if use.name != "module":
        return False
    return not trace.has_own(use) and not trace.knows_wrappers(use.node, use.where)


def _next(trace: Trace, use: Use) -> list[Use]:
    """Return what is done at once with ``model.module``."""
    return [other for other in trace.uses if other.node is use.call]


def _propose(trace: Trace, uses: list[Use]) -> Proposal | str:
    if any(_computes_loss(trace, use) for use in uses):
        return _GOES_INTO_THE_LOSS
    return propose_unwrap(trace, uses, Applicability.SAFE)


def _computes_loss(trace: Trace, use: Use) -> bool:
    if use.kind is UseKind.METHOD:
        return trace.is_training(use)
    following = _next(trace, use)
    if not following:  # kept under a name: what is done with that?
        root = root_of(trace, use)
        following = [other for other in trace.uses_of(root) if all(s is Stage.UNWRAPPED for _, s in other.value)]
    return any(
        trace.may_reach_backward(each) and not trace.gives_data(each)
        if each.kind in {UseKind.ATTRIBUTE, UseKind.METHOD}
        else trace.is_training(each)
        for each in following
    )
