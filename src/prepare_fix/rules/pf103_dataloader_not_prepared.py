"""PF103: the training loop of prepared objects, or an evaluation that gathers, walks a raw loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import AcceleratorCall, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import InsertStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.joining import propose_join_each
from prepare_fix.rules.story import describe, report, tell, tell_arguments

_GATHERS = frozenset({"gather", "gather_for_metrics"})


class DataloaderNotPrepared(Rule):
    """The loop that trains a prepared model walks a DataLoader that never goes through ``Accelerator.prepare``.

    What it does:
        Finds DataLoaders that are handed to ``prepare`` on no path, where a training loop of prepared objects iterates
        them, or a loop that calls a prepared model and gathers what comes out.

    Why it matters:
        On two processes every rank trains on all the data: twice the work for the result of one process. With gradient
        accumulation and an odd number of batches the last window never steps, also on one process. An evaluation that
        gathers gets each sample twice.

    Example:
        ```python
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader

        def train(model, dataset):
            accelerator = Accelerator()
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer = accelerator.prepare(model, optimizer)
            for batch in loader:
                accelerator.backward(model(batch.to(accelerator.device)).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader

        def train(model, dataset):
            accelerator = Accelerator()
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch.to(accelerator.device)).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Unsafe: on several processes each rank then sees its share of the data, which changes the number of steps, and
        schedules that count raw batches. None for a loader of a class of the file with an ``__iter__`` of its own,
        which a prepared loader drops.

    Limits:
        Silent in files that speak of data that shards itself (``DistributedSampler``, ``IterableDataset``, webdataset,
        the process index), for a data set that is given the accelerator, for data that the prepared model made (each
        process has its own), for loops that only one process runs, and for an evaluation that gathers nothing in its
        loop, where each process needs all the data, or counts the processes there.

    Source:
        accelerate 1.15.0, ``src/accelerate/data_loader.py`` (``prepare_data_loader``), ``accelerator.py``
        (``accumulate``).
    """

    code = "PF103"
    name = "dataloader-not-prepared"
    summary = "The loop that trains a prepared model, or gathers, walks a DataLoader that was never prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each raw loader that feeds prepared objects."""
        done: set[ObjectId] = set()
        for use in trace.uses:
            if use.kind is not UseKind.ITERATE or trace.is_on_one_process(use.where):
                continue
            gathers = None if trace.is_training(use) else _gathering(trace, use)
            if gathers is None and not trace.is_training(use):
                continue
            for number, stage in use.value:
                if stage is Stage.RAW and number not in done and _is_raw_loader(trace, number):
                    fed = _call_of_loop(trace, use)
                    if fed is not None and not trace.shards_by_hand():
                        done.add(number)
                        yield self._finding(trace, number, use, gathers, *fed)

    def _finding(
        self, trace: Trace, number: ObjectId, use: Use, gathers: AcceleratorCall | None, call: PrepareCall, role: Role
    ) -> Finding:
        name = _name(trace, number, use, call)
        line = trace.line(use.node)
        if gathers is None:
            loop = f"the training loop on line {line}"
            consequence = "on several processes every rank trains on all the data"
        else:
            loop = f"the loop on line {line}, whose results line {trace.line(gathers.node)} gathers,"
            consequence = "on several processes every rank walks all the data, and gets each sample once from each rank"
        story = (
            f"{describe(trace, name, number)} feeds {loop} but never goes through prepare, as the {role.value} does on "
            f"line {trace.line(call.node)}"
        )
        proposal = _propose(trace, number, use, call)
        verb = "is walked by a loop that gathers" if gathers is not None else ""
        objects = (tell(trace, name, number, [use], verb), *tell_arguments(trace, call, role))
        key = f"{trace.scope(use.where.statement)}:{name}"
        span = trace.span(use.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _is_raw_loader(trace: Trace, number: ObjectId) -> bool:
    """Return whether an object is surely a loader, surely raw, and handed to no prepare call."""
    obj = trace.objects[number]
    is_loader = (obj.role is Role.DATALOADER and obj.kind is Kind.OBJECT) or _is_handed_in(trace, number)
    if not is_loader or trace.is_touched_by_gap(number) or trace.may_prepare_itself(number):
        return False
    if trace.has_data_of_its_own(number):
        return False
    # A new loader in the place of a prepared one is another finding.
    return trace.rebuilt_after(number) is None and not trace.is_prepared_somehow(number)


def _is_handed_in(trace: Trace, number: ObjectId) -> bool:
    """Return whether an object comes in raw as a parameter, the training loop walks it, and no annotation says that it
    is anything but a loader. (Whatever it is, every process walks all of it.)"""
    obj = trace.objects[number]
    node = obj.node
    if obj.kind is not Kind.PARAMETER or not isinstance(node, ast.arg) or not trace.is_beside_accelerator(number):
        return False
    is_loader = node.annotation is None or "Loader" in ast.unparse(node.annotation)
    return is_loader and trace.role(number) is Role.DATALOADER


def _name(trace: Trace, number: ObjectId, use: Use, call: PrepareCall) -> str:
    """Return what the loop calls the loader; it may walk others beside it."""
    creation = trace.creation_statement(number)
    made = {trace.text(target) for target in creation.targets} if isinstance(creation, ast.Assign) else set()
    made |= {str(place) for place, value in call.before.items() if value == {(number, Stage.RAW)}}
    names = [trace.text(node) for node in use.holders]
    return next((name for name in names if name in made), names[0] if names else trace.text(use.node))


def _call_of_loop(trace: Trace, loop: Use) -> tuple[PrepareCall, Role] | None:
    """Return the prepare call of the model, or else of the optimizer, that is trained with what ``loop`` gives, or of
    the model that an evaluation calls."""
    inside = [use for use in trace.uses if _is_inside(use, loop)]
    evaluates = not trace.is_training(loop)
    computes = {UseKind.CALL, UseKind.METHOD}
    models = [use for use in inside if use.kind in computes and (evaluates or trace.is_training(use))]
    steps = [use for use in inside if use.kind is UseKind.METHOD and use.name == "step"]
    for use in (*models, *steps):
        for number, stage in use.value:
            role, calls = trace.role(number), trace.prepared_with(number)
            if stage is Stage.PREPARED and role in {Role.MODEL, Role.OPTIMIZER} and calls:
                return calls[0], role
    return None


def _gathering(trace: Trace, loop: Use) -> AcceleratorCall | None:
    """Return the call in each round of a loop that gathers from all processes what a prepared model gave there."""
    calls = [
        call
        for call in trace.accelerator_calls
        if call.method in _GATHERS and loop.loop is not None and call.where.loops[-1:] == (loop.loop,)
    ]
    # A loop that counts the processes knows that each gives the same, and may compare them.
    if not calls or "num_processes" in trace.text(loop.where.statement):
        return None
    given = {
        use.result
        for use in trace.uses
        if _is_inside(use, loop) and any(stage in {Stage.PREPARED, Stage.UNWRAPPED} for _, stage in use.value)
    }
    return next((call for call in calls if not given.isdisjoint(_gathered(trace, call))), None)


def _gathered(trace: Trace, call: AcceleratorCall) -> frozenset[ObjectId]:
    """Return the data that goes into what a call gathers."""
    return trace.sources_of((number for value in call.arguments for number, _ in value), detached=True)


def _is_inside(use: Use, loop: Use) -> bool:
    if loop.loop is not None:
        return loop.loop in use.where.loops
    loops = loop.where.loops
    return loops == use.where.loops[: len(loops)]


def _propose(trace: Trace, number: ObjectId, use: Use, call: PrepareCall) -> Proposal | str:
    if trace.own_iteration(number):
        return "it is of a class with an `__iter__` of its own, which a prepared loader would drop"
    calls = trace.prepared_with_model_of(call) or (call,)
    numbers = frozenset({number})
    proposal = propose_join_each(trace, calls, numbers, Role.DATALOADER, (use,), lambda each: _index(trace, each))
    if isinstance(proposal, Proposal) or len({each.node for each in calls}) > 1:
        return proposal
    return _own_call(trace, number, use, call) or proposal


def _index(trace: Trace, call: PrepareCall) -> int:
    """Return where a loader joins a call: in front of a scheduler at the end, else at the end."""
    roles = [{trace.role(n) for n, _ in argument.value if n in trace.objects} for argument in call.arguments]
    count = len(roles)
    while count and roles[count - 1] == {Role.SCHEDULER}:
        count -= 1
    return count


def _own_call(trace: Trace, number: ObjectId, use: Use, call: PrepareCall) -> Proposal | None:
    """Return a call of its own behind the creation of the loader, where that comes after the model's call."""
    creation = trace.creation_statement(number)
    if (
        not isinstance(creation, ast.Assign)
        or len(creation.targets) != 1
        or not trace.may_follow_statement(creation, call)
    ):
        return None
    target = trace.text(creation.targets[0])
    if target not in {trace.text(read) for read in use.holders}:
        return None
    assert isinstance(call.node.func, ast.Attribute)
    accelerator = trace.text(call.node.func.value)
    if not trace.is_at_hand(accelerator, creation):
        return None
    insert = InsertStatement(trace.span(creation), f"{target} = {accelerator}.prepare({target})")
    return Proposal(f"Prepare `{target}` behind its creation", Applicability.UNSAFE, (insert,))
