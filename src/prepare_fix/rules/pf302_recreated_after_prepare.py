"""PF302: a prepared optimizer or loader is replaced by a new, raw one."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import PrepareCall, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import InsertStatement, MoveStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.story import report, tell, tell_arguments

_HARM = {
    Role.OPTIMIZER: "with gradient accumulation it steps on every micro batch and ranks diverge, with fp16 gradients "
    "are never unscaled",
    Role.DATALOADER: "on several processes every rank trains on all the data",
}


class RecreatedAfterPrepare(Rule):
    """A new optimizer or DataLoader takes the place of a prepared one, and trains raw.

    What it does:
        Finds optimizers of a prepared model, and loaders of its training loop, that are created behind a prepare call,
        bound to the name that holds the prepared one, and that no prepare call takes.

    Why it matters:
        The new object is as raw as if the old one had never been prepared. An optimizer steps on every micro batch when
        gradients are accumulated (on two processes the ranks diverge), and never unscales fp16 gradients. A loader
        shows all the data to every rank.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
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
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe. The call moves behind the creation of the new optimizer where both stand in one block and nothing
        in between needs what it returns: prepared alone, without its model, an optimizer is a ValueError under FSDP2. A
        loader gets a call of its own.

    Limits:
        Silent where the new object is prepared on some path, where creation and prepare call stand in different
        functions or branches, and for loaders with a sampler of their own, which may shard the data.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``), ``optimizer.py``, ``data_loader.py``.
    """

    code = "PF302"
    name = "recreated-after-prepare"
    summary = "A prepared optimizer or loader is replaced by a new one that trains raw"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each new object that trains in the place of a prepared one."""
        for number in trace.objects:
            call = trace.rebuilt_after(number) if trace.backwards else None
            if call is None or trace.is_touched_by_gap(number):
                continue
            uses = _training_uses(trace, number)
            if uses:
                yield self._finding(trace, number, call, uses)

    def _finding(self, trace: Trace, number: ObjectId, call: PrepareCall, uses: list[Use]) -> Finding:
        creation = trace.creation_statement(number)
        assert creation is not None
        role = trace.role(number)
        name = trace.text(creation.targets[0]) if hasattr(creation, "targets") else trace.text(uses[0].node)
        verb = "steps" if role is Role.OPTIMIZER else "feeds the training loop"
        story = (
            f"the {role.value} `{name}` that prepare returned on line {trace.line(call.node)} is replaced by a new one "
            f"on line {trace.line(creation)}, which {verb} on line {trace.line(uses[0].node)} and is not prepared"
        )
        key = f"{trace.scope(creation)}:{name}"
        proposal = _propose(trace, number, call, name)
        old = tell_arguments(trace, call, role)[:1]
        objects = (*old, tell(trace, name, number, uses, verb, created="is created anew"))
        return report(self, trace, story, _HARM[role], trace.span(creation), key, objects=objects, proposal=proposal)


def _training_uses(trace: Trace, number: ObjectId) -> list[Use]:
    """Return the uses in which the raw object trains a prepared model."""
    if trace.objects[number].role is Role.OPTIMIZER:
        models = [model for model in trace.models_of(number) if trace.prepared_with(model)]
        return [use for use in trace.steps_of(number) if models and not trace.is_without_accelerator(use.where)]
    creation = trace.created_at(number)
    if creation is None or "ampler" in trace.source.slice(creation):
        return []
    loops = {loop for each in trace.backwards if trace.model_calls_behind(each.loss) for loop in each.where.loops}
    return [
        use
        for use in trace.uses
        if use.kind is UseKind.ITERATE and use.loop in loops and (number, Stage.RAW) in use.value
    ]


def _propose(trace: Trace, number: ObjectId, call: PrepareCall, name: str) -> Proposal | str:
    creation = trace.creation_statement(number)
    assert creation is not None
    if trace.role(number) is Role.DATALOADER:
        code = f"{name} = {trace.text(call.node.func)}({name})"
        insertion = InsertStatement(trace.span(creation), code)
        return Proposal("Prepare the new one as well", Applicability.UNSAFE, (insertion,))
    between = trace.outline.between(call.where.statement, creation)
    if between is None:
        return "the new optimizer has to be prepared together with its model, and it is created in another block"
    places = [place for place in call.targets if place is not None]
    if any(target != argument.place for target, argument in zip(call.targets, call.arguments, strict=False)):
        return "the results of the call have other names than its arguments"
    for each in between:
        if trace.mentions(each, places) and not trace.takes_only_parameters(each, places):
            return f"line {trace.line(each)}, in between, uses what the call on line {trace.line(call.node)} returns"
    move = MoveStatement(trace.span(call.where.statement), trace.span(creation))
    return Proposal(
        f"Prepare the new one: move the call behind line {trace.line(creation)}", Applicability.UNSAFE, (move,)
    )
