"""PF110: a scheduler that steps once per epoch is prepared."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Binding, PrepareCall, Use
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import DropArguments, DropStatement, InsertStatement, Repair, ReplaceExpression
from prepare_fix.rules import Rule
from prepare_fix.rules.joining import can_take_targets
from prepare_fix.rules.story import describe, report, tell


class EpochSchedulerPrepared(Rule):
    """A scheduler goes through ``Accelerator.prepare`` and then steps once per epoch, or per metric.

    What it does:
        Finds prepared schedulers all of whose steps stand outside the loop over batches, in a loop around it, and
        prepared ``ReduceLROnPlateau`` schedulers.

    Why it matters:
        A prepared scheduler advances once per process and step, because it expects to be stepped with batches that are
        shared out. On one process that is right; on two, 3 epochs make 6 steps, and a plateau scheduler uses up its
        patience twice as fast.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
            model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
            for epoch in range(4):
                for batch in loader:
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    optimizer.zero_grad()
                scheduler.step()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for epoch in range(4):
                for batch in loader:
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    optimizer.zero_grad()
                scheduler.step()
        ```

    Fix safety:
        Unsafe: on several processes the learning rate then follows another curve, and ``save_state`` no longer writes
        the scheduler.

    Limits:
        Silent with ``split_batches=True`` and ``step_scheduler_with_optimizer=False``, where the scheduler also steps
        with batches or right behind the optimizer, where its length counts processes, and where ``step`` is told the
        epoch.

    Source:
        accelerate 1.15.0, ``src/accelerate/scheduler.py`` (``AcceleratedScheduler.step``).
    """

    code = "PF110"
    name = "epoch-scheduler-prepared"
    summary = "A scheduler that steps once per epoch is prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepared scheduler that steps once per epoch."""
        if trace.steps_once_anyway():
            return
        for call in trace.prepare_calls:
            for index, argument in enumerate(call.arguments):
                for number, _ in argument.value:
                    if number in trace.objects and trace.role(number) is Role.SCHEDULER and not argument.starred:
                        steps = _prepared_steps(trace, number)
                        if steps and not trace.counts_processes(number) and _is_once_per_epoch(trace, number, steps):
                            yield self._finding(trace, call, index, number, steps)

    def _finding(
        self, trace: Trace, call: PrepareCall, index: int, number: ObjectId, steps: tuple[Use, ...]
    ) -> Finding:
        name = trace.text(call.arguments[index].node)
        rhythm = "steps once per epoch" if all(trace.steps_with_epochs(use) for use in steps) else "steps"
        story = (
            f"{describe(trace, name, number)} is prepared on line {trace.line(call.node)} and {rhythm} on line "
            f"{trace.line(steps[0].node)}"
        )
        consequence = (
            "a prepared scheduler advances once per process and step, so on several processes the schedule runs that "
            "many times too fast"
        )
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = (tell(trace, name, number, steps, rhythm),)
        span = trace.span(call.arguments[index].node)
        proposal = _propose(trace, call, index)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _propose(trace: Trace, call: PrepareCall, index: int) -> Proposal | str:
    argument, statement = call.arguments[index], trace.span(call.where.statement)
    name = trace.text(argument.node)
    if call.count == 1 and call.binding is Binding.ONE_NAME:
        if call.targets[0] == argument.place and argument.place is not None:
            return Proposal(f"Leave `{name}` unprepared", Applicability.UNSAFE, (DropStatement(statement),))
        raw = ReplaceExpression(trace.span(call.node), name)
        return Proposal(f"Leave `{name}` unprepared", Applicability.UNSAFE, (raw,))
    obstacle = can_take_targets(call)
    if obstacle or call.count == 1:
        return obstacle or "nothing takes the result of the call"
    repairs: list[Repair] = [DropArguments(trace.site(call), (index,))]
    if call.targets[index] != argument.place:
        repairs.append(InsertStatement(statement, f"{trace.text(call.target_nodes[index])} = {name}"))
    return Proposal(f"Leave `{name}` out of the call", Applicability.UNSAFE, tuple(repairs))


def _prepared_steps(trace: Trace, number: ObjectId) -> tuple[Use, ...]:
    steps = trace.scheduler_steps(number)
    return tuple(use for use in steps if all(stage is Stage.PREPARED for _, stage in use.value))


def _is_once_per_epoch(trace: Trace, number: ObjectId, steps: tuple[Use, ...]) -> bool:
    if trace.objects[trace.root(number)].name.endswith("ReduceLROnPlateau"):
        return any(use.where.loops for use in steps)
    return all(trace.steps_with_epochs(use) and not _is_told_the_epoch(use) for use in steps)


def _is_told_the_epoch(use: Use) -> bool:
    """Return whether a step says which epoch it is, ``step(epoch)``: made several times, it comes to the same."""
    return isinstance(use.call, ast.Call) and bool(use.call.args or use.call.keywords)
