"""PF109: a loop trains through the accelerator, and none of its objects was ever prepared."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Backward, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import InsertStatement
from prepare_fix.rules import Rule
from prepare_fix.rules.story import enumerate_names, note, report, tell


@dataclass(frozen=True, slots=True)
class _Member:
    """An object of a training loop: its number, the name that it is created under, and where the loop uses it."""

    number: ObjectId
    name: str
    use: Use


class NothingPrepared(Rule):
    """A training loop calls ``accelerator.backward``, and no object of it goes through ``prepare``.

    What it does:
        Finds loops in which a loss goes backward through the accelerator while the model, the optimizer and the loader
        are created in this file and are handed to no prepare call anywhere in it.

    Why it matters:
        Nothing connects the objects to the accelerator. On two processes nothing is synchronised: each one trains a
        model of its own, on all the data.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(dataset):
            accelerator = Accelerator()
            model = torch.nn.Linear(8, 1)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loader = torch.utils.data.DataLoader(dataset, batch_size=4)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(dataset):
            accelerator = Accelerator()
            model = torch.nn.Linear(8, 1)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            loader = torch.utils.data.DataLoader(dataset, batch_size=4)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the script trains on other batches per process from then on. None where the objects and the
        accelerator are not all created in one block, or under other names than the loop uses.

    Limits:
        Silent where an object or the accelerator comes in from outside the file or from an unknown function, where
        something else is handed the accelerator and may prepare, where a prepare call takes lists or unknown arguments,
        and for loaders that shard themselves.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, ``backward``).
    """

    code = "PF109"
    name = "nothing-prepared"
    summary = "A loop trains through the accelerator, and none of its objects was ever prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each training loop of objects that nobody prepares."""
        done: set[int] = set()
        for backward in trace.backwards:
            loops = backward.where.loops
            is_built_here = backward.owners and all(trace.creation_statement(owner) for owner in backward.owners)
            if not is_built_here or not loops or loops[-1] in done or trace.is_without_accelerator(backward.where):
                continue
            members = _members(trace, backward)
            if members and not trace.may_prepare_elsewhere:  # in this order: the second looks at the whole file
                done.add(loops[-1])
                yield self._finding(trace, backward, members)

    def _finding(self, trace: Trace, backward: Backward, members: list[_Member]) -> Finding:
        names = enumerate_names(dict.fromkeys(member.name for member in members))
        story = (
            f"the loss goes backward through the accelerator on line {trace.line(backward.node)}, but {names} never go "
            f"through prepare"
        )
        consequence = "on several processes nothing is synchronised, and every rank trains on all the data"
        key = f"{trace.scope(backward.where.statement)}:{','.join(member.name for member in members)}"
        objects = tuple(tell(trace, member.name, member.number, (member.use,)) for member in members)
        notes = (note(trace, backward.node, backward.where.context, "the loss goes through the accelerator"),)
        proposal = _propose(trace, backward, members)
        span = trace.span(backward.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _members(trace: Trace, backward: Backward) -> list[_Member]:
    """Return model, optimizer, loader and scheduler of the loop, in this order; none where one is not certain."""
    loops = backward.where.loops
    found: dict[Role, list[_Member]] = {}
    for use in trace.uses_around(loops):
        role = _role_in_loop(trace, use, loops)
        for number, _ in use.value if role is not None else ():
            creation = trace.creation_statement(number)
            is_made = isinstance(creation, ast.Assign) and len(creation.targets) == 1 and trace.is_surely_raw(number)
            if role is None or not is_made or not isinstance(creation, ast.Assign):
                return []
            known = found.setdefault(role, [])
            if all(number != member.number for member in known):
                known.append(_Member(number, trace.text(creation.targets[0]), use))
    if not found.get(Role.MODEL) or not found.get(Role.OPTIMIZER):
        return []
    roles = (Role.MODEL, Role.OPTIMIZER, Role.DATALOADER, Role.SCHEDULER)
    return [member for role in roles for member in found.get(role, ())]


def _role_in_loop(trace: Trace, use: Use, loops: tuple[int, ...]) -> Role | None:
    """Return what the objects of ``use`` are to the innermost of ``loops``; None where that is of no interest."""
    if use.kind is UseKind.ITERATE and use.loop in loops:
        return Role.DATALOADER
    if use.where.loops != loops:
        return None
    roles = {trace.role(number) for number, _ in use.value}
    if use.kind is UseKind.CALL and trace.is_training(use) and roles == {Role.MODEL}:
        return Role.MODEL
    if use.kind is UseKind.METHOD and use.name == "step" and len(roles) == 1:
        return next(iter(roles & {Role.OPTIMIZER, Role.SCHEDULER}), None)
    return None


def _propose(trace: Trace, backward: Backward, members: list[_Member]) -> Proposal | str:
    """Return the call of prepare behind the last creation, or why there is none."""
    if not isinstance(backward.node.func, ast.Attribute):
        return "`backward` is not called on the accelerator"
    accelerator = trace.text(backward.node.func.value)
    creations = [trace.creation_statement(member.number) for member in members]
    creations += [trace.creation_statement(owner) for owner in backward.owners]
    statements = [each for each in creations if each is not None]
    if len(statements) < len(creations) or any(
        trace.outline.between(each, statements[0]) is None for each in statements
    ):
        return "the objects and the accelerator are not created in one block"
    if trace.text(statements[-1]).split("=")[0].strip() != accelerator:
        return f"the accelerator is created under another name than `{accelerator}`"
    if any(trace.text(member.use.node) != member.name for member in members if member.use.kind is not UseKind.ITERATE):
        return "the loop uses the objects under other names than they are created under"
    names = ", ".join(member.name for member in members)
    last = max(statements, key=lambda each: trace.span(each).start)
    insertion = InsertStatement(trace.span(last), f"{names} = {accelerator}.prepare({names})")
    return Proposal(f"Prepare {enumerate_names(member.name for member in members)}", Applicability.UNSAFE, (insertion,))
