"""PF301: training goes on with an object that prepare has replaced."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from prepare_fix.findings import Applicability, Certainty, Finding, Proposal
from prepare_fix.flow.events import Argument, Binding, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.place import Place, place_of
from prepare_fix.flow.trace import Trace
from prepare_fix.flow.unpacking import fits
from prepare_fix.repairs import BindTargets, MoveStatement, RenameUses, Repair
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.joining import lost_behind
from prepare_fix.rules.story import describe, doing, happening, name_in, report, tell
from prepare_fix.sources.text import Span

_HARM = {
    Role.MODEL: "on several processes its gradients are not averaged and the ranks diverge",
    Role.OPTIMIZER: "with gradient accumulation it acts on every micro batch instead of once per update",
    Role.DATALOADER: "on several processes every rank sees all the data",
    Role.SCHEDULER: "with gradient accumulation or several processes the learning rate follows another schedule",
    Role.UNKNOWN: "what prepare added to it is not used",
}


class StaleObject(Rule):
    """Training goes on with an object that ``Accelerator.prepare`` has replaced.

    What it does:
        Finds models that are called for the loss, optimizers that step or zero gradients, schedulers that step and
        loaders that the training loop walks, where the object used is the raw one and a prepare call has already
        returned its replacement: under the old variable, an alias, an attribute, in a closure, or through an iterator
        or bound method taken before.

    Why it matters:
        On one process nothing changes, which is why it goes unnoticed. On two, a stale model makes the ranks diverge
        and a stale loader shows all the data to every rank. A stale optimizer steps on every micro batch when gradients
        are accumulated, a stale ``zero_grad`` throws gathered gradients away, a stale scheduler runs at the wrong rate.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            wrapped, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            wrapped.train()
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
            wrapped, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            wrapped.train()
            for batch in loader:
                accelerator.backward(wrapped(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe where the object is stale on every path: the script prepared that very object, and on one process nothing
        changes. All stale objects of one call are mended together or not at all. Where the prepared names are never
        used the targets of the call are bound to the old names, else the uses are renamed. Unsafe where the object is
        stale on some paths only, where something is read through the old name that a prepared object may not have, or
        where an iterator is taken later than something that may draw random numbers.

    Limits:
        Reading from a raw object (``config``, ``state_dict``, parameters for an average or for clipping), evaluation
        without gradients, storing, returning and handing on are no findings. Silent for a loader whose prepared form
        is thrown away into ``_``: it may be sharded by hand, and for a model that is called raw where the ``prepare``
        runs under DeepSpeed alone.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, ``accumulate``), ``optimizer.py``,
        ``scheduler.py``, ``data_loader.py``.
    """

    code = "PF301"
    name = "stale-object"
    summary = "Training goes on with an object that prepare has replaced"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each object that trains although a prepare call has replaced it."""
        done: set[int] = set()
        for call in trace.prepare_calls:
            if call.binding is Binding.DISCARDED or trace.misused_tuple(call) or not fits(call):
                continue  # the uses are stale because of how the result is taken, which is another finding
            stale = [
                use
                for use in trace.stale_training_uses(call)
                if id(use) not in done and _is_certain_enough(trace, use) and not _is_meant(trace, call, use)
            ]
            done.update(id(use) for use in stale)
            if stale:
                proposal = _propose(trace, _alternatives(trace, call, stale), stale)
                for number in dict.fromkeys(root for use in stale for root in trace.superseded_roots(use)):
                    uses = [use for use in stale if number in trace.superseded_roots(use)]
                    yield self._finding(trace, call, number, uses, proposal)
        yield from self._accumulated_only(trace)

    def _accumulated_only(self, trace: Trace) -> Iterator[Finding]:
        """Yield the raw models that are handed to ``accumulate`` and stale nowhere else."""
        stale = {root for use in trace.stale_uses for root in trace.superseded_roots(use)}
        for call in trace.accumulated_stale():
            for read in trace.stale_reads_in(call.node):
                number = trace.root(min(each for each, _ in read.value))
                if number in stale:
                    continue
                name = trace.text(read.node)
                story = (
                    f"{describe(trace, name, number)} is handed to `{call.method}` on line {trace.line(read.node)}, "
                    f"but prepare has replaced it"
                )
                consequence = "the results are the same, the gradients are exchanged on every micro batch for nothing"
                proposal: Proposal | str = "no name holds the prepared model there"
                if read.replacements:
                    place = str(min(read.replacements, key=_simplicity))
                    rename = RenameUses((trace.span(read.node),), place)
                    proposal = Proposal(f"Use the prepared `{place}`", Applicability.SAFE, (rename,))
                key = f"{trace.scope(call.where.statement)}:{call.method}:{name}"
                told = tell(trace, name, number, ())
                handed = happening(trace, read.node, call.where.context, f"is handed to `{call.method}`")
                objects = (replace(told, events=(*told.events, handed)),)
                span = trace.span(read.node)
                yield report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)

    def _finding(
        self, trace: Trace, call: PrepareCall, number: ObjectId, uses: list[Use], proposal: Proposal | str
    ) -> Finding:
        first = uses[0]
        name = _name_in(trace, call, first, number)
        role = trace.role(number)
        replacement = _result_name(trace, call, number)
        story = (
            f"{describe(trace, name, number)} {doing(first)} on line {trace.line(first.node)}, but prepare has "
            f"replaced it on line {trace.line(call.node)}{replacement}"
        )
        every = all(stage is Stage.SUPERSEDED for use in uses for _, stage in use.value)
        key = f"{trace.scope(first.where.statement)}:{name}"
        return report(
            self,
            trace,
            story,
            _HARM[role],
            trace.span(first.node),
            key,
            objects=(tell(trace, name, number, uses),),
            proposal=proposal,
            certainty=Certainty.EVERY_PATH if every else Certainty.SOME_PATH,
        )


def _name_in(trace: Trace, call: PrepareCall, use: Use, number: ObjectId) -> str:
    """Return how a stale use names the object: what `enumerate(loader)` is handed, else what the prepare call is."""
    if place_of(use.node) is not None:
        return trace.text(use.node)
    reads = (read for read in trace.stale_reads_in(use.node) if number in {trace.root(each) for each, _ in read.value})
    return next((trace.text(read.node) for read in reads), name_in(trace, call, number))


def _alternatives(trace: Trace, call: PrepareCall, stale: list[Use]) -> list[PrepareCall]:
    """Return ``call`` and the calls in other branches whose results are passed over at the same uses."""
    known = {id(use) for use in stale}
    others = {call.node: call}
    for other in trace.prepare_calls:
        excludes = call.key not in other.earlier and other.key not in call.earlier
        if excludes and any(id(use) in known for use in trace.stale_training_uses(other)):
            others.setdefault(other.node, other)
    return list(others.values())


def _is_certain_enough(trace: Trace, use: Use) -> bool:
    """Return whether a use is stale on every path, or on some with no condition around it that could rule them out."""
    if any(trace.is_touched_by_gap(number) for number in trace.superseded_roots(use)):
        return False
    if all(stage is Stage.SUPERSEDED for _, stage in use.value):
        return True
    return not use.where.guards and not any(trace.objects[number].is_many for number, _ in use.value)


def _is_meant(trace: Trace, call: PrepareCall, use: Use) -> bool:
    """Return whether a script surely knows that it goes on with the raw object."""
    return _is_thrown_away(trace, call, use) or (use.kind is UseKind.CALL and _is_for_deepspeed(trace, call))


def _is_for_deepspeed(trace: Trace, call: PrepareCall) -> bool:
    """Return whether ``call`` runs under DeepSpeed only: its engine trains the modules that it is given, whoever calls
    them, so a wrapper around several is prepared and its parts are called."""
    return any(guard.holds and "deepspeed" in trace.text(guard.test).lower() for guard in call.where.guards)


def _is_thrown_away(trace: Trace, call: PrepareCall, use: Use) -> bool:
    """Return whether the script says that it does not want the prepared loader: ``_`` takes it.

    DeepSpeed wants to see a loader, for the size of its batches; one that is sharded by hand must not be walked
    through what comes back.
    """
    taken = [_target_of(trace, call, number) for number in trace.superseded_roots(use)]
    return use.kind is UseKind.ITERATE and all(target is not None and str(target[1]) == "_" for target in taken)


def _result_name(trace: Trace, call: PrepareCall, number: ObjectId) -> str:
    taken = _target_of(trace, call, number)
    return f" (by `{taken[1]}`)" if taken is not None and str(taken[1]) != trace.text(taken[0].node) else ""


def _target_of(trace: Trace, call: PrepareCall, number: ObjectId) -> tuple[Argument, Place] | None:
    """Return the argument of ``call`` that holds an object, and the target that takes its result."""
    for argument, target in zip(call.arguments, call.targets, strict=False):
        if target is not None and any(
            trace.root(each) == number for each, _ in argument.value if each in trace.objects
        ):
            return argument, target
    return None


def _propose(trace: Trace, calls: list[PrepareCall], stale: list[Use]) -> Proposal | str:
    every = all(stage is Stage.SUPERSEDED for use in stale for _, stage in use.value)
    applicability = Applicability.SAFE if every else Applicability.UNSAFE
    rebinding = _rebinding(trace, calls, stale)
    if rebinding is not None:
        return Proposal("Bind the results to the names that the script goes on with", applicability, rebinding)
    renames = _renames(trace, stale)
    if renames is not None:
        places = ", ".join(f"`{rename.place}`" for rename in renames)
        return Proposal(f"Use the prepared {places}", applicability, renames)
    moved = _taken_too_early(trace, calls[0], stale)
    if moved is not None:
        behind = trace.span(calls[0].where.statement)
        moves = tuple(MoveStatement(trace.span(statement), behind) for statement in moved)
        if any(_passes_draws(trace, statement, calls[0]) for statement in moved):
            applicability = Applicability.UNSAFE
        return Proposal("Take it behind the prepare call", applicability, moves)
    line = trace.line(stale[0].node)
    return (
        f"no name holds the prepared object, on every path, where the raw one is used on line {line}: bind what "
        "prepare returns for it to a name, and use that"
    )


def _rebinding(trace: Trace, calls: list[PrepareCall], stale: list[Use]) -> tuple[Repair, ...] | None:
    """Return the repairs that give the results of all ``calls`` their old names, None where one can't have them."""
    repairs: list[Repair] = []
    for call in calls:
        taken = trace.handed_to(call)
        roots = [root for use in stale for root in trace.superseded_roots(use) if root in taken]
        targets = _rebound_targets(trace, call, roots)
        if targets is None:
            return None
        repairs.append(BindTargets(trace.site(call), targets))
    return tuple(repairs)


def _rebound_targets(trace: Trace, call: PrepareCall, roots: list[ObjectId]) -> tuple[str, ...] | None:
    """Return the targets with the old names for all of ``roots``.

    None where a prepared name is used, or an old one is read for what a prepared object may not have. Other results
    that nobody reads get their old names back, too.
    """
    if call.binding not in {Binding.UNPACKED, Binding.ONE_NAME} or call.count != len(call.targets):
        return None
    targets = [trace.text(node) for node in call.target_nodes]
    left = set(roots)
    for index, argument in enumerate(call.arguments):
        held = {trace.root(number) for number, _ in argument.value if number in trace.objects}
        if not _can_rebind(trace, call, index):
            if held & left:
                return None
            continue
        targets[index] = trace.text(argument.node)
        left -= held
    return None if left else tuple(targets)


def _can_rebind(trace: Trace, call: PrepareCall, index: int) -> bool:
    """Return whether the result at ``index`` goes to a name that nobody reads, and fits under its old one."""
    place = call.arguments[index].place
    target = call.targets[index]
    if place is None or place not in call.before or target == place:
        return False
    if target is None or target.path:  # an attribute may be read from anywhere
        return False
    if trace.is_read(call.target_nodes[index], call):
        return False
    return not lost_behind(trace, call, [index])


def _renames(trace: Trace, stale: list[Use]) -> tuple[RenameUses, ...] | None:
    """Return the renaming of every stale use to the place that holds the prepared object; None where one has none."""
    spans: dict[str, set[Span]] = {}
    renamed: dict[str, str] = {}
    for use in stale:
        reads = [read for read in trace.stale_reads_in(use.node) if read.replacements] or trace.handing_over(use)
        if not reads:
            return None
        for read in reads:
            place = str(min(read.replacements, key=_simplicity))
            renamed[trace.text(read.node)] = place
            spans.setdefault(place, set()).add(trace.span(read.node))
    for call in trace.accumulated_stale():
        for read in trace.stale_reads_in(call.node):
            known = renamed.get(trace.text(read.node))
            if known is not None and known in map(str, read.replacements):
                spans[known].add(trace.span(read.node))
    return tuple(RenameUses(tuple(sorted(found)), place) for place, found in spans.items())


def _simplicity(place: Place) -> tuple[int, int]:
    return len(place.path), len(str(place))


def _taken_before(trace: Trace, call: PrepareCall, node: ast.expr) -> ast.stmt | None:
    """Return the only assignment to the place ``node``, where it stands in front of ``call`` and can go behind it."""
    place = place_of(node)
    taken = trace.assignments_to(str(place)) if place is not None else ()
    if place is None or len(taken) != 1 or not trace.outline.precedes(taken[0], call.where.statement):
        return None
    between = trace.outline.between(taken[0], call.where.statement) or ()
    if any(trace.mentions(each, [place]) for each in (*between, call.where.statement)):
        return None
    return taken[0]


def _taken_too_early(trace: Trace, call: PrepareCall, stale: list[Use]) -> list[ast.stmt] | None:
    """Return the statements in front of the call that took an iterator, alias or bound method, and can go behind it."""
    moved: dict[int, ast.stmt] = {}
    for use in stale:
        taken = next((found for node in trace.places_in(use.node) if (found := _taken_before(trace, call, node))), None)
        if taken is None:
            return None
        moved[id(taken)] = taken
    return list(moved.values())


def _passes_draws(trace: Trace, statement: ast.stmt, call: PrepareCall) -> bool:
    """Return whether a call in ``statement`` passes one that may draw random numbers, on its way behind ``call``.

    An iterator draws one for its workers, so a model that is created in between begins with other weights.
    """
    harmless = {
        id(node)
        for number, obj in trace.objects.items()
        if obj.node is not None and trace.role(number) in {Role.OPTIMIZER, Role.SCHEDULER}
        for node in ast.walk(obj.node)
    }
    between = trace.outline.between(statement, call.where.statement) or ()
    calls = [node for each in between for node in ast.walk(each) if isinstance(node, ast.Call)]
    return any(isinstance(node, ast.Call) for node in ast.walk(statement)) and any(
        id(node) not in harmless for node in calls
    )
