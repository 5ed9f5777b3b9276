"""PF201: the results of prepare are unpacked in another order than the arguments."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, ObjectStory, Proposal
from prepare_fix.flow.events import Binding, PrepareCall
from prepare_fix.flow.objects import Role
from prepare_fix.flow.trace import Trace
from prepare_fix.flow.unpacking import has_star, intended_order
from prepare_fix.repairs import BindTargets
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.story import report, tell

_OF_ONE_ROLE = {
    Role.DATALOADER: "in every mode each loop walks the data of the other, without a message",
    Role.MODEL: (
        "on one process and under DDP each is called in place of the other, without a message: an optimizer of one of "
        "them trains nothing"
    ),
}


class PermutedTargets(Rule):
    """The results of ``Accelerator.prepare`` are unpacked in another order than the arguments were passed.

    What it does:
        Finds prepare calls whose targets are the places of the arguments (the same names, or the same last part, as in
        ``self.model`` and ``model``) in another order.

    Why it matters:
        ``prepare`` returns its results in the order of the arguments and never looks at names. With roles swapped the
        script dies with a TypeError or AttributeError at the first step, in every mode. With two loaders
        swapped it trains on the wrong data, with two models of one class it trains nothing, without a message.

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
        of one role are swapped, since the swap may be meant. The targets move, never the arguments: their positions
        also bind ``device_placement`` and the numbering of checkpoints.

    Limits:
        Targets whose names have nothing in common with the arguments are left alone.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``).
    """

    code = "PF201"
    name = "permuted-targets"
    summary = "The results of prepare are unpacked in another order than the arguments"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each call whose targets stand in another order than its arguments."""
        for call in trace.prepare_calls:
            order = intended_order(call)
            if order is not None:
                yield self._finding(trace, call, order, _proposal(trace, call, order))
                continue
            order = _order_by_use(trace, call)
            if order is not None:
                yield self._finding(trace, call, order, _reorder(trace, call, order))

    def _finding(self, trace: Trace, call: PrepareCall, order: tuple[int, ...], proposal: Proposal | str) -> Finding:
        parts = [
            f"`{trace.text(call.target_nodes[index])}` gets what `{trace.text(call.arguments[index].node)}` becomes"
            for index in range(len(order))
            if order[index] != index
        ]
        story = (
            f"prepare returns its results in the order of the arguments, not by name: {', '.join(parts)} on line "
            f"{trace.line(call.node)}"
        )
        key = f"{trace.scope(call.where.statement)}:{','.join(sorted(map(trace.text, call.target_nodes)))}"
        objects = tuple(_tell_result(trace, call, index) for index in range(len(order)) if order[index] != index)
        span = trace.span(call.where.statement)
        consequence = _consequence(trace, call, order)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _tell_result(trace: Trace, call: PrepareCall, index: int) -> ObjectStory:
    """Return the story of the argument at ``index`` up to the first use under the name that takes its result."""
    argument, target = call.arguments[index], trace.text(call.target_nodes[index])
    number = min(number for number, _ in argument.value or call.results[index])
    taken = (use for use in trace.uses if use.value and use.value <= call.results[index])
    uses = [use for use in taken if trace.text(use.node) == target][:1]
    return tell(trace, trace.text(argument.node), number, uses, f"is used as `{target}`")


def _order_by_use(trace: Trace, call: PrepareCall) -> tuple[int, ...] | None:
    """Return the order that the uses of the targets ask for, where they contradict the roles of the arguments."""
    if call.binding is not Binding.UNPACKED or has_star(call) or call.count != len(call.targets):
        return None
    given = [_role(trace, call, index) for index in range(len(call.targets))]
    used = [trace.used_role(result) for result in call.results]
    wrong = [
        index
        for index, role in enumerate(used)
        if role is not Role.UNKNOWN and given[index] not in {role, Role.UNKNOWN}
    ]
    if len(wrong) < 2 or len({used[index] for index in wrong}) != len(wrong):
        return None
    if {used[index] for index in wrong} != {given[index] for index in wrong}:
        return None
    owner = {used[index]: index for index in wrong}
    return tuple(owner[given[index]] if index in wrong else index for index in range(len(given)))


def _consequence(trace: Trace, call: PrepareCall, order: tuple[int, ...]) -> str:
    """Return what breaks; nothing for objects of one role whose exchange says nothing by itself."""
    groups = _exchanged_roles(trace, call, order)
    if any(len(roles) > 1 for roles in groups):
        return "in every mode the script stops with a TypeError or AttributeError where one is used as the other"
    known = [_OF_ONE_ROLE[role] for roles in groups for role in roles if role in _OF_ONE_ROLE]
    return "; ".join(dict.fromkeys(known))


def _exchanged_roles(trace: Trace, call: PrepareCall, order: tuple[int, ...]) -> list[set[Role]]:
    """Return the known roles in each group of positions that change places among themselves."""
    return [{_role(trace, call, index) for index in cycle} - {Role.UNKNOWN} for cycle in _cycles(order)]


def _proposal(trace: Trace, call: PrepareCall, order: tuple[int, ...]) -> Proposal | str:
    for roles in _exchanged_roles(trace, call, order):
        if len(roles) < 2:
            return "objects of one role change places, which may be meant: look which of the two is right"
    return _reorder(trace, call, order)


def _reorder(trace: Trace, call: PrepareCall, order: tuple[int, ...]) -> Proposal:
    targets = tuple(trace.text(call.target_nodes[index]) for index in order)
    bind = BindTargets(trace.site(call), targets)
    return Proposal("Unpack in the order of the arguments", Applicability.SAFE, (bind,))


def _cycles(order: tuple[int, ...]) -> Iterator[set[int]]:
    """Yield the groups of positions that change places among themselves."""
    left = {index for index, source in enumerate(order) if source != index}
    while left:
        index = left.pop()
        cycle = {index}
        while order[index] not in cycle:
            index = order[index]
            cycle.add(index)
        left -= cycle
        yield cycle


def _role(trace: Trace, call: PrepareCall, index: int) -> Role:
    roles = {trace.role(number) for number, _ in call.arguments[index].value if number in trace.objects}
    return next(iter(roles)) if len(roles) == 1 else Role.UNKNOWN
