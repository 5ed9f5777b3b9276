"""PF204: one name takes the tuple of several prepared objects."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Binding, PrepareCall, Use
from prepare_fix.flow.objects import Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import BindTargets
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.story import note, report, tell_arguments


class TupleInOneName(Rule):
    """One name takes all that ``Accelerator.prepare`` returns and is then used as one object.

    What it does:
        Finds prepare calls with several arguments whose result is assigned to one name, where that name is called or
        has a method of a model, optimizer or loader called on it.

    Why it matters:
        Several objects come back as a tuple: the first use fails with a TypeError or AttributeError, in every mode.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model = accelerator.prepare(model, optimizer, loader)
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
        Safe: the script can't run as it is. None where an argument has no place to be assigned to.

    Limits:
        Silent where the name is anywhere indexed, unpacked, starred, handed on or returned, or a loop over it uses its
        members as what they are: walks, calls or steps one.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, its last line).
    """

    code = "PF204"
    name = "tuple-in-one-name"
    summary = "One name takes the tuple of several prepared objects"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each tuple that is used as if it were one object."""
        for call in trace.prepare_calls:
            if call.binding is Binding.ONE_NAME and call.result_container is not None and call.count is not None:
                uses = trace.misused_tuple(call)
                if uses:
                    yield self._finding(trace, call, uses)

    def _finding(self, trace: Trace, call: PrepareCall, uses: tuple[Use, ...]) -> Finding:
        use = uses[0]
        name = trace.text(call.target_nodes[0])
        how = f"`{name}.{use.name}`" if use.name else f"`{name}(...)`"
        if use.name == "__iter__":
            how = "walking it batch by batch"
        story = (
            f"`{name}` takes all {call.count} objects that prepare returns on line {trace.line(call.node)}, a tuple, "
            f"and is used as one object on line {trace.line(use.node)}"
        )
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects, notes = tell_arguments(trace, call), (note(trace, use.node, use.where.context, f"{how} fails"),)
        span, proposal = trace.span(call.where.statement), _propose(trace, call, uses)
        return report(self, trace, story, f"{how} fails", span, key, objects=objects, notes=notes, proposal=proposal)


def _propose(trace: Trace, call: PrepareCall, uses: tuple[Use, ...]) -> Proposal | str:
    places = [argument.place for argument in call.arguments]
    if None in places or any(place not in call.before for place in places):
        return "an argument is not a name or attribute that its result could be assigned to"
    targets = [trace.text(argument.node) for argument in call.arguments]
    name = trace.text(call.target_nodes[0])
    if name not in targets:
        index = _meant(trace, call, uses)
        if index is None:
            return f"nothing says which of the objects `{name}` is meant to be"
        targets[index] = name
    return Proposal("Unpack to the arguments", Applicability.SAFE, (BindTargets(trace.site(call), tuple(targets)),))


def _meant(trace: Trace, call: PrepareCall, uses: tuple[Use, ...]) -> int | None:
    """Return the index of the only argument that can be used the way the name is; None where that is not certain."""
    ways = {use.name for use in uses}
    if ways & {"step", "zero_grad"}:
        role = Role.OPTIMIZER
    elif ways & {"", "train", "eval", "parameters", "named_parameters"}:
        role = Role.MODEL
    elif "__iter__" in ways:
        role = Role.DATALOADER
    else:
        return None
    indexes = [
        index
        for index, argument in enumerate(call.arguments)
        if any(trace.role(number) is role for number, _ in argument.value)
    ]
    return indexes[0] if len(indexes) == 1 else None
