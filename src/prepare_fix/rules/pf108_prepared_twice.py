"""PF108: an object goes through prepare a second time."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from prepare_fix.findings import Applicability, Finding, Proposal, Related
from prepare_fix.flow.events import Binding, PrepareCall
from prepare_fix.flow.objects import Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropArguments, DropStatement, MoveStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.releases import told_by_release
from prepare_fix.rules.story import enumerate_names, note, report, tell


@dataclass(frozen=True, slots=True)
class _Again:
    """An argument that is prepared already: its index, and the call before (the same call, where a loop repeats it)."""

    index: int
    first: PrepareCall


class PreparedTwice(Rule):
    """An object that ``Accelerator.prepare`` returned is handed to it again.

    What it does:
        Finds arguments of prepare calls that a call before, of the same accelerator, has already prepared on every
        path, and calls in a loop that prepare the same objects again in each round.

    Why it matters:
        A loader that ``prepare_data_loader`` returned is sharded again: on two processes half of the samples are never
        used. A scheduler that goes through ``prepare_scheduler`` twice runs at a multiple of its rate. All else trains
        to the same result, but under DDP ``save_state`` writes a model more than once. Before accelerate 1.14 it does
        so on one process too, and the wrapper is wrapped once more each time.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, dataset):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loader = accelerator.prepare_data_loader(torch.utils.data.DataLoader(dataset))
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, dataset):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loader = accelerator.prepare_data_loader(torch.utils.data.DataLoader(dataset))
            model, optimizer = accelerator.prepare(model, optimizer)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the second call may be the one that is meant. Dropped is what it prepares again; a call that
        stands first in a loop moves in front of it. None where the result goes to another name, or where the rest of
        the second call needs what would be dropped.

    Limits:
        Silent where objects are created anew in between (or in the loop), where the script calls ``free_memory`` or
        ``clear``, for another accelerator, and where an object is prepared on some of the paths only.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, ``prepare_model``, ``prepare_data_loader``).
    """

    code = "PF108"
    name = "prepared-twice"
    summary = "An object that is prepared already goes through prepare again"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each call that prepares something again."""
        if trace.accelerator_methods() & {"free_memory", "clear"}:
            return
        for call in trace.prepare_calls:
            again = _prepared_again(trace, call)
            if again:
                yield self._finding(trace, call, again)

    def _finding(self, trace: Trace, call: PrepareCall, again: list[_Again]) -> Finding:
        names = [trace.text(call.arguments[each.index].node) for each in again]
        first, line = again[0].first, trace.line(call.node)
        when = f"again on line {line}, after line {trace.line(first.node)}"
        notes: tuple[Related, ...] = ()
        if first.node is call.node:
            loop = trace.loop_around(call.where.statement)
            when = f"on line {line} in every round of the loop on line {trace.line(loop) if loop is not None else line}"
            notes = () if loop is None else (note(trace, loop, call.where.context, "every round prepares again"),)
        verb = "is" if len(names) == 1 else "are"
        story = f"{enumerate_names(names)} {verb} prepared {when}"
        objects = tuple(
            tell(trace, name, min(number for number, _ in call.arguments[each.index].value), ())
            for name, each in zip(names, again, strict=True)
        )
        key = f"{trace.scope(call.where.statement)}:{','.join(names)}"
        proposal = _propose_in_front(trace, call) if first.node is call.node else _propose_drop(trace, call, again)
        span, harm = trace.span(call.node), _harm(trace, call, again)
        return report(self, trace, story, harm, span, key, objects=objects, notes=notes, proposal=proposal)


def _prepared_again(trace: Trace, call: PrepareCall) -> list[_Again]:
    if any(trace.objects[owner].is_many for owner in call.accelerator):
        return []
    found = []
    for index, argument in enumerate(call.arguments):
        value = [(n, stage) for n, stage in argument.value if n in trace.objects]
        if argument.place is None or any(trace.objects[trace.root(n)].is_many for n, _ in value):
            continue
        makers = {
            maker.key: maker for n, stage in value if stage is Stage.PREPARED for maker in _makers(trace, n, call)
        }
        if call.key in makers:
            certain = _is_repeated(trace, call, value, makers)
        else:
            certain = all(stage is Stage.PREPARED for _, stage in value)
        if certain:
            found += [_Again(index, maker) for maker in list(makers.values())[:1]]
    return found


def _makers(trace: Trace, number: int, call: PrepareCall) -> list[PrepareCall]:
    """Return the calls of the same accelerator that gave a prepared object."""
    obj = trace.objects[number]
    return [
        each
        for each in trace.prepared_with(number)
        if each.node is obj.node and each.where.context == obj.context and each.accelerator & call.accelerator
        if each is call or each.node is not call.node  # another way to the same line is no second call in the text
        if not trace.own_guards(each.where, call.where) and not trace.is_expected_to_fail(each.where.statement)
    ]


def _is_repeated(
    trace: Trace, call: PrepareCall, value: list[tuple[int, Stage]], makers: dict[int, PrepareCall]
) -> bool:
    """Return whether a loop around the call hands its own results to it, unconditionally."""
    loop = trace.loop_around(call.where.statement)
    if loop is None or set(makers) != {call.key} or len({trace.root(n) for n, _ in value}) != 1:
        return False
    around = trace.outline.around(call.where.statement)
    return around[1] is loop and isinstance(loop, (ast.For, ast.AsyncFor))


def _harm(trace: Trace, call: PrepareCall, again: list[_Again]) -> str:
    methods = {each.first.method for each in again}
    if "prepare_data_loader" in methods:
        return (
            "a loader from `prepare_data_loader` is sharded again, on two processes half of the samples are never used"
        )
    if call.method == "prepare_scheduler" and "prepare_scheduler" in methods:
        return "on two processes the schedule advances four times per step instead of twice"
    roles = {trace.role(n) for each in again for n, _ in call.arguments[each.index].value if n in trace.objects}
    if not roles <= {Role.OPTIMIZER, Role.DATALOADER, Role.SCHEDULER}:
        return told_by_release(
            trace,
            (1, 14),
            since="the results stay the same, but under DDP save_state writes a model more than once",
            before="the results stay the same, but save_state writes a model more than once, and DDP wraps it again",
            either="the results stay the same, but under DDP save_state writes a model more than once; before "
            "accelerate 1.14 it does so on one process too, and DDP wraps the model again",
        )
    return "the results stay the same"


def _propose_drop(trace: Trace, call: PrepareCall, again: list[_Again]) -> Proposal | str:
    indexes = tuple(each.index for each in again)
    if call.binding not in {Binding.UNPACKED, Binding.ONE_NAME} or call.count != len(call.targets):
        return "the result of the call does not go to one place for each argument"
    if any(call.targets[index] is None or call.targets[index] != call.arguments[index].place for index in indexes):
        return "the result of the second call goes to another place"
    if len(indexes) == call.count:
        drop = DropStatement(trace.span(call.where.statement))
        return Proposal("Drop the second call", Applicability.UNSAFE, (drop,))
    names = enumerate_names(trace.text(call.arguments[index].node) for index in indexes)
    return Proposal(f"Leave {names} out", Applicability.UNSAFE, (DropArguments(trace.site(call), indexes),))


def _propose_in_front(trace: Trace, call: PrepareCall) -> Proposal | str:
    """Return the move of a call that stands in a loop to the statement in front of the loop."""
    loop = trace.loop_around(call.where.statement)
    assert loop is not None
    spot = trace.outline.spot(loop)
    places = [argument.place for argument in call.arguments if argument.place is not None]
    before = loop.body[: trace.outline.spot(call.where.statement).index]
    if any(trace.mentions(each, places) for each in before) or not spot.index or len(loop.body) == 1:
        return "it belongs in front of the loop"
    if len(places) < len(call.arguments):
        return "it belongs in front of the loop, together with what its arguments are made from"
    move = MoveStatement(trace.span(call.where.statement), trace.span(spot.siblings[spot.index - 1]))
    return Proposal(f"Prepare once, in front of the loop on line {trace.line(loop)}", Applicability.UNSAFE, (move,))
