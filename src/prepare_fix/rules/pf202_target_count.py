"""PF202: prepare returns more or fewer objects than there are targets."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Binding, PrepareCall
from prepare_fix.flow.objects import Stage
from prepare_fix.flow.place import Place
from prepare_fix.flow.trace import Trace
from prepare_fix.flow.unpacking import has_star
from prepare_fix.repairs import Addition, BindTargets, JoinPrepare
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.joining import lost_behind, with_reads
from prepare_fix.rules.story import enumerate_names, report, tell_arguments


class TargetCount(Rule):
    """The number of targets is not the number of objects handed to ``Accelerator.prepare``.

    What it does:
        Finds prepare calls with a plain tuple of targets that does not fit the number of arguments.

    Why it matters:
        The script fails at the call with a ValueError or TypeError, in every mode. One object comes back bare, not as a
        tuple: ``a, b = accelerator.prepare(model)`` with a Sequential, ModuleList or DataLoader of two unpacks its
        children or batches, without a message.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer = accelerator.prepare(model, optimizer, loader)
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
        Safe where the names decide: the targets are the arguments less one, or the arguments the targets less one. None
        otherwise.

    Limits:
        Silent where a star hides the number.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, its last line).
    """

    code = "PF202"
    name = "target-count"
    summary = "The number of targets is not the number of objects handed to prepare"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each call whose targets are too many or too few."""
        for call in trace.prepare_calls:
            if call.binding is Binding.UNPACKED and call.count is not None and not _fits(trace, call):
                yield self._finding(trace, call)

    def _finding(self, trace: Trace, call: PrepareCall) -> Finding:
        handed, taken = call.count, len(call.targets)
        comes = "one object, which comes back bare" if handed == 1 else f"{handed} objects"
        places = "one target" if taken == 1 else f"{taken} targets"
        story = f"prepare is handed {comes}, and its result is unpacked to {places} (line {trace.line(call.node)})"
        consequence = ""
        if handed == 1 and taken > 1:
            consequence = "a Sequential or a DataLoader would be unpacked into its children or batches"
        proposal = _propose(trace, call)
        key = f"{trace.scope(call.where.statement)}:{','.join(str(target) for target in call.targets)}"
        objects, span = tell_arguments(trace, call), trace.span(call.where.statement)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _fits(trace: Trace, call: PrepareCall) -> bool:
    if has_star(call):
        return True
    if call.count == 1:
        # A list, dict or iterator comes back as it went in, and may well have that many members.
        return not trace.is_wrapped_by_prepare(call.arguments[0].value)
    return call.count == len(call.targets)


def _propose(trace: Trace, call: PrepareCall) -> Proposal | str:
    arguments = [argument.place for argument in call.arguments]
    if None in arguments or None in call.targets or call.method != "prepare":
        return "an argument or target is not a plain name or attribute, so names can't tell what is missing"
    places = [place for place in arguments if place is not None]
    targets = [target for target in call.targets if target is not None]
    if len(targets) < len(places):
        return _add_targets(trace, call, places, targets)
    if len(places) == len(targets) == 1:
        bind = BindTargets(trace.site(call), (str(targets[0]),))
        return Proposal("Take the one object as it comes back", Applicability.SAFE, (bind,))
    return _add_arguments(trace, call, places, targets)


def _add_targets(trace: Trace, call: PrepareCall, places: list[Place], targets: list[Place]) -> Proposal | str:
    known = {target.last: trace.text(node) for target, node in zip(targets, call.target_nodes, strict=True)}
    names = [place.last for place in places]
    if len(set(names)) != len(names) or not set(known) <= set(names):
        return "the targets have other names than the arguments, so names can't tell which one is missing"
    own = {place.last: trace.text(argument.node) for place, argument in zip(places, call.arguments, strict=True)}
    order = tuple(known.get(name, own[name]) for name in names)
    missing = [own[name] for name in names if name not in known]
    lost = lost_behind(trace, call, [index for index, name in enumerate(names) if name not in known])
    applicability = Applicability.UNSAFE if lost else Applicability.SAFE
    title = with_reads(f"Unpack to {enumerate_names(missing)} too", lost)
    return Proposal(title, applicability, (BindTargets(trace.site(call), order),))


def _add_arguments(trace: Trace, call: PrepareCall, places: list[Place], targets: list[Place]) -> Proposal | str:
    names = [place.last for place in places]
    lasts = [target.last for target in targets]
    if len(set(lasts)) != len(lasts) or [name for name in lasts if name in names] != names:
        return "the targets have other names than the arguments, so names can't tell which argument is missing"
    surplus = [target for target in targets if target.last not in names]
    held = [call.before.get(target) for target in surplus]
    if all(value and all(stage is Stage.RAW for _, stage in value) for value in held):
        additions = tuple(Addition(lasts.index(target.last), str(target), None) for target in surplus)
        join = JoinPrepare(trace.site(call), _by_argument(additions, names, lasts))
        return Proposal(f"Prepare {enumerate_names(map(str, surplus))} too", Applicability.SAFE, (join,))
    nodes = [node for target, node in zip(targets, call.target_nodes, strict=True) if target in surplus]
    if any(value is not None for value in held) or any(trace.is_read(node, call) for node in nodes):
        return f"there is no object to prepare for {enumerate_names(map(str, surplus))}"
    bind = BindTargets(trace.site(call), tuple(str(target) for target in targets if target.last in names))
    title = f"Drop {enumerate_names(map(str, surplus))}, which nothing fills or reads"
    return Proposal(title, Applicability.SAFE, (bind,))


def _by_argument(additions: tuple[Addition, ...], names: list[str], lasts: list[str]) -> tuple[Addition, ...]:
    """Return the additions with indexes among the arguments in place of indexes among the targets."""
    return tuple(
        Addition(sum(name in names for name in lasts[: addition.index]), addition.argument, None)
        for addition in additions
    )
