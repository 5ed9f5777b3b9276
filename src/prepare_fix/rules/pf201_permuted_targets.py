"""PF201: the results of prepare are unpacked in another order than the arguments."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Binding, PrepareCall
from prepare_fix.flow.objects import Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import BindTargets
from prepare_fix.rules import Rule
from prepare_fix.rules.story import report


class PermutedTargets(Rule):
    """The results of ``Accelerator.prepare`` are unpacked in another order than the arguments were passed.

    What it does:
        Finds prepare calls whose targets are the places of the arguments (the same names, or the same last part, as in
        ``self.model`` and ``model``) in another order.

    Why it matters:
        ``prepare`` returns its results in the order of the arguments and never looks at names. With roles swapped the
        script dies with a TypeError or AttributeError at the first step, in every mode. With two loaders or two models
        of one class swapped it runs and trains on the wrong one, without a message.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            optimizer, model, loader = accelerator.prepare(model, optimizer, loader)
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
        Safe where the objects that change places differ in role: the script can't run as it is. None where two objects
        of one role are swapped, since the swap may be meant. The targets move, never the arguments: their positions also
        bind ``device_placement`` and the numbering of checkpoints.

    Limits:
        Targets whose names have nothing in common with the arguments are left alone.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``).
    """

    code = "PF201"
    name = "permuted-targets"
    summary = "The results of prepare are unpacked in another order than the arguments"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each call whose targets stand in another order than its arguments."""
        for call in trace.prepare_calls:
            order = _intended_targets(call)
            if order is not None:
                yield self._finding(trace, call, order)

    def _finding(self, trace: Trace, call: PrepareCall, order: tuple[str, ...]) -> Finding:
        now = [str(target) for target in call.targets]
        wrong = [index for index, name in enumerate(now) if name != order[index]]
        parts = [f"`{now[index]}` gets what `{trace.text(call.arguments[index].node)}` becomes" for index in wrong]
        message = (
            f"prepare returns its results in the order of the arguments, not by name: {', '.join(parts)} "
            f"(line {trace.line(call.node)})"
        )
        key = f"{trace.scope(call.where.statement)}:{','.join(sorted(now))}"
        proposal = _proposal(trace, call, wrong, order)
        return report(self, trace, message, trace.span(call.where.statement), key, proposal=proposal)


def _intended_targets(call: PrepareCall) -> tuple[str, ...] | None:
    """Return the targets in the order that the names of the arguments ask for; None where it is the order they have."""
    if call.binding is not Binding.UNPACKED or call.count != len(call.targets) or len(call.arguments) != call.count:
        return None
    wanted = [argument.place for argument in call.arguments]
    if any(place is None for place in wanted) or any(target is None for target in call.targets):
        return None
    names = [place.last for place in wanted if place is not None]
    targets = [target for target in call.targets if target is not None]
    lasts = [target.last for target in targets]
    if len(set(names)) != len(names) or len(set(lasts)) != len(lasts):
        return None
    common = [index for index, name in enumerate(names) if name in lasts]
    moved = [index for index in common if lasts[index] != names[index]]
    if len(moved) < 2 or {names[index] for index in moved} != {lasts[index] for index in moved}:
        return None
    order = [str(targets[lasts.index(names[index])]) if index in moved else str(targets[index]) for index in range(len(names))]
    return tuple(order)


def _proposal(trace: Trace, call: PrepareCall, wrong: list[int], order: tuple[str, ...]) -> Proposal | str:
    roles = {_role(trace, call, index) for index in wrong}
    if len(roles) < len(wrong) or Role.UNKNOWN in roles:
        if not _all_differ(trace, call, wrong, order):
            return "objects of one role change places, which may be meant: look which of the two is right"
    return Proposal(
        "Unpack in the order of the arguments", Applicability.SAFE, (BindTargets(trace.site(call), order),)
    )


def _all_differ(trace: Trace, call: PrepareCall, wrong: list[int], order: tuple[str, ...]) -> bool:
    """Return whether each wrong target gets an object of another role than the one it is named for."""
    now = [str(target) for target in call.targets]
    for index in wrong:
        meant = _role(trace, call, order.index(now[index]))
        if meant is Role.UNKNOWN or meant is _role(trace, call, index):
            return False
    return True


def _role(trace: Trace, call: PrepareCall, index: int) -> Role:
    roles = {trace.role(number) for number, _ in call.arguments[index].value}
    return next(iter(roles)) if len(roles) == 1 else Role.UNKNOWN
