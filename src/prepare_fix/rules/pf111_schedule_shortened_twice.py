"""PF111: a schedule as long as the prepared loader is prepared too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prepare_fix.findings import Finding
from prepare_fix.flow.events import PrepareCall, Use
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.story import describe, note, report, tell

# A length with one of these in it may count what all processes see.
_COUNTS_ALL = re.compile(r"process|world|gpu|device|rank|total_batch", re.IGNORECASE)


class ScheduleShortenedTwice(Rule):
    """The length of a schedule counts the batches of one process, and its scheduler is prepared.

    What it does:
        Finds prepared schedulers that step with the batches and whose length is computed from the ``len`` of a loader
        that ``prepare`` gave back.

    Why it matters:
        A prepared loader is as long as one process's share of the data, and a prepared scheduler advances once per
        process and step. On one process that comes to the same; on two the schedule runs twice as fast as it should,
        and is at its end half way through the training.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, len(loader))
            scheduler = accelerator.prepare(scheduler)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, len(loader))
            model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
            for batch in loader:
                accelerator.backward(model(batch).mean())
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        There is no fix: the length may be taken before the loader is prepared, multiplied by
        ``accelerator.num_processes``, or the scheduler left raw, and what else counts its steps goes with that.

    Limits:
        Silent where the length speaks of processes, devices or ranks, where the scheduler steps per epoch (PF110), and
        with ``split_batches=True`` or ``step_scheduler_with_optimizer=False``, where it advances once per step.

    Source:
        accelerate 1.15.0, ``src/accelerate/scheduler.py`` (``AcceleratedScheduler.step``).
    """

    code = "PF111"
    name = "schedule-shortened-twice"
    summary = "A schedule as long as the prepared loader is prepared too"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepared scheduler whose length is that of a prepared loader."""
        if trace.steps_once_anyway():
            return
        for call in trace.prepare_calls:
            for index, argument in enumerate(call.arguments):
                for number in sorted({number for number, _ in argument.value if number in trace.objects}):
                    loader = _loader_counted(trace, number) if trace.role(number) is Role.SCHEDULER else None
                    steps = _steps_with_batches(trace, number) if loader is not None else ()
                    if loader is not None and steps:
                        yield self._finding(trace, call, index, number, loader, steps)

    def _finding(
        self, trace: Trace, call: PrepareCall, index: int, number: ObjectId, loader: ObjectId, steps: tuple[Use, ...]
    ) -> Finding:
        name = trace.text(call.arguments[index].node)
        taken = trace.prepared_with(loader)[0]
        story = (
            f"{describe(trace, name, number)} is as long as the loader that line {trace.line(taken.node)} prepares, "
            f"and is prepared itself on line {trace.line(call.node)}"
        )
        consequence = (
            "a prepared scheduler advances once per process and step, so on several processes the schedule runs that "
            "many times too fast"
        )
        reason = (
            "take the length in front of the prepare call, multiply it by `num_processes` of the accelerator, or leave "
            "the scheduler raw"
        )
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = (tell(trace, name, number, steps, "steps with the batches"),)
        notes = (note(trace, taken.node, taken.where.context, "the loader is prepared, and shorter from then on"),)
        span = trace.span(call.arguments[index].node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=reason)


def _loader_counted(trace: Trace, scheduler: ObjectId) -> ObjectId | None:
    """Return the prepared loader whose length a schedule has; None where it also counts something of all processes."""
    sources = trace.length_sources(scheduler)
    if any(_COUNTS_ALL.search(trace.text(each.node)) for each in sources if each.node is not None):
        return None
    creation = trace.creation_statement(trace.root(scheduler))
    if creation is None or _COUNTS_ALL.search(trace.text(creation)):
        return None
    counted = [number for number in trace.lengths_taken(scheduler) if number in trace.objects]
    if not counted or any(trace.objects[number].prepared_from is None for number in counted):
        return None
    return min(trace.root(number) for number in counted)


def _steps_with_batches(trace: Trace, scheduler: ObjectId) -> tuple[Use, ...]:
    """Return the steps of a scheduler that is prepared wherever it steps, all of them within loops over batches."""
    steps = trace.scheduler_steps(scheduler)
    if not all(stage is Stage.PREPARED for use in steps for _, stage in use.value):
        return ()
    return steps if all(trace.batch_loops & set(use.where.loops) for use in steps) else ()
