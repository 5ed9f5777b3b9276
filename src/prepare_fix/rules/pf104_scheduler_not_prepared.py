"""PF104: a scheduler that counts single-process batches is not prepared."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import Finding
from prepare_fix.flow.events import PrepareCall, Use
from prepare_fix.flow.objects import Kind, ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.rules.joining import propose_join_each, raw_alternatives
from prepare_fix.rules.story import describe, report, tell, tell_arguments


class SchedulerNotPrepared(Rule):
    """A scheduler steps with every batch, its length is made for a prepared one, and it never goes through ``prepare``.

    What it does:
        Finds raw schedulers of prepared optimizers that step with every batch where one of these holds: the length
        counts updates (it is divided by the accumulation count) while the steps count micro batches; the length comes
        from the raw loader's ``len`` and that loader is prepared; another scheduler of the script is prepared and this
        one is not.

    Why it matters:
        A prepared scheduler waits for the optimizer when gradients are accumulated, and advances once per process and
        step. A raw one with accumulation 2 runs through its schedule twice as fast; on two processes, with the length
        of the raw loader, it only gets half way.

    Example:
        ```python
        import math
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader

        def train(model, dataset):
            accelerator = Accelerator(gradient_accumulation_steps=4)
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            updates = math.ceil(len(loader) / accelerator.gradient_accumulation_steps)
            scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=updates)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            for batch in loader:
                with accelerator.accumulate(model):
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    scheduler.step()
                    optimizer.zero_grad()
        ```

    Use instead:
        ```python
        import math
        import torch
        from accelerate import Accelerator
        from torch.utils.data import DataLoader

        def train(model, dataset):
            accelerator = Accelerator(gradient_accumulation_steps=4)
            loader = DataLoader(dataset, batch_size=8, shuffle=True)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            updates = math.ceil(len(loader) / accelerator.gradient_accumulation_steps)
            scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=updates)
            model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
            for batch in loader:
                with accelerator.accumulate(model):
                    accelerator.backward(model(batch).mean())
                    optimizer.step()
                    scheduler.step()
                    optimizer.zero_grad()
        ```

    Fix safety:
        Always unsafe: the learning rate then follows another curve, which is the point of the repair.

    Limits:
        Silent for a scheduler that is built after the call from the prepared optimizer or the prepared loader's length
        (the pattern of older examples), for constant lengths, lengths that count processes or are multiplied by the
        accumulation count, steps per epoch or under a condition, ``ReduceLROnPlateau``, ``split_batches`` and
        ``step_scheduler_with_optimizer=False``.

    Source:
        accelerate 1.15.0, ``src/accelerate/scheduler.py`` (``AcceleratedScheduler.step``).
    """

    code = "PF104"
    name = "scheduler-not-prepared"
    summary = "A scheduler whose length is made for a prepared one is not prepared"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each raw scheduler whose length says that it should be prepared."""
        if trace.steps_once_anyway():
            return
        for number in trace.objects_of(Role.SCHEDULER):
            obj = trace.objects[number]
            if obj.role is not Role.SCHEDULER or obj.prepared_from is not None or obj.kind is not Kind.OBJECT:
                continue
            if trace.prepared_with(number) or trace.is_touched_by_gap(number) or trace.may_prepare_itself(number):
                continue
            steps = tuple(use for use in trace.scheduler_steps(number) if trace.steps_with_batches(use))
            calls = _calls_of_optimizer(trace, number)
            if steps and calls and not any(_has_argument(use) for use in steps):
                reason = _reason(trace, number)
                if reason:
                    yield self._finding(trace, number, steps, calls, reason)

    def _finding(
        self, trace: Trace, number: ObjectId, steps: tuple[Use, ...], calls: tuple[PrepareCall, ...], reason: str
    ) -> Finding:
        name = trace.text(steps[0].node)
        story = (
            f"{describe(trace, name, number)} steps with every batch on line {trace.line(steps[0].node)} and never "
            f"goes through prepare, as its optimizer does on line {trace.line(calls[0].node)}"
        )
        numbers = raw_alternatives(trace, steps, Role.SCHEDULER)
        proposal = propose_join_each(trace, calls, numbers, Role.SCHEDULER, steps, lambda call: len(call.arguments))
        key = f"{trace.scope(steps[0].where.statement)}:{name}"
        objects = (
            tell(trace, name, number, steps, "steps with every batch"),
            *tell_arguments(trace, calls[0], Role.OPTIMIZER),
        )
        span = trace.span(steps[0].node)
        return report(self, trace, story, reason, span, key, objects=objects, proposal=proposal)


def _has_argument(use: Use) -> bool:
    return bool(getattr(use.call, "args", ()) or getattr(use.call, "keywords", ()))


def _calls_of_optimizer(trace: Trace, scheduler: ObjectId) -> tuple[PrepareCall, ...]:
    """Return the calls that a scheduler's raw optimizer goes through; none where it was built from a prepared one."""
    optimizers = trace.optimizers_of(scheduler)
    if any(trace.objects[number].prepared_from is not None for number in optimizers):
        return ()
    return next((calls for number in sorted(optimizers) if (calls := trace.prepared_with(number))), ())


def _reason(trace: Trace, scheduler: ObjectId) -> str:
    """Return what is wrong with leaving the scheduler raw; empty where nothing is known to be."""
    if trace.counts_processes(scheduler) or trace.is_multiplied_by_count(scheduler):
        return ""
    lengths = trace.lengths_taken(scheduler)
    if any(trace.objects[number].prepared_from is not None for number in lengths if number in trace.objects):
        return ""
    if trace.counts_updates(scheduler):
        return (
            "its length counts updates and it advances on every micro batch, so with gradient accumulation the "
            "schedule runs that many times too fast"
        )
    if any(trace.prepared_with(number) for number in lengths if number in trace.objects):
        return (
            "its length counts the batches of one process, so on several processes, where each sees a share of them, "
            "the schedule only gets part of the way"
        )
    if _has_prepared_sibling(trace, scheduler):
        return (
            "another scheduler of the script is prepared, and the two advance at different rates on several processes"
        )
    return ""


def _has_prepared_sibling(trace: Trace, scheduler: ObjectId) -> bool:
    return any(
        obj.role is Role.SCHEDULER and number != scheduler and trace.prepared_with(number)
        for number, obj in trace.objects.items()
        if obj.prepared_from is None and trace.scheduler_steps(number)
    )
