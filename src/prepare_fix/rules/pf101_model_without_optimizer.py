"""PF101: the model is prepared, its optimizer is not."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from prepare_fix.findings import Finding, Proposal
from prepare_fix.flow.events import PrepareCall, Use
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import OF_THE_LOOP, Rule
from prepare_fix.rules.joining import combine, propose_join
from prepare_fix.rules.releases import has_fsdp2
from prepare_fix.rules.story import origin, report, tell


class ModelWithoutOptimizer(Rule):
    """A model goes through ``Accelerator.prepare``, the optimizer that trains it does not.

    What it does:
        Finds optimizers that are built from the parameters of a prepared model, step in a script that trains, and are
        handed to ``prepare`` on no path.

    Why it matters:
        On one process, in full precision and without gradient accumulation, the script trains rightly. With
        accumulation the raw optimizer steps on every micro batch: wrong parameters on one process, and on two the ranks
        diverge. Under FSDP2 ``prepare`` raises a ValueError. With fp16 the scaled gradients are never unscaled (NaN,
        measured with an emulated scaler). In every mode ``save_state`` writes no optimizer file.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, loader = accelerator.prepare(model, loader)
            for batch in loader:
                loss = model(batch).mean()
                accelerator.backward(loss)
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
                loss = model(batch).mean()
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        ```

    Fix safety:
        Safe where the optimizer joins the call in place, or the call only moves past the optimizer's own creation.
        Unsafe where the call moves past other statements, where the script reads something from the optimizer that a
        prepared one may not have, and for any move in a file that speaks of FSDP. None where code in between uses what
        the call returns, or where the script sets ``use_orig_params=False``.

    Limits:
        Silent where the optimizer may have been prepared elsewhere: it comes in as a parameter, or what happens to it
        can't be followed.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``prepare``, ``save_state``),
        ``src/accelerate/optimizer.py`` (``AcceleratedOptimizer.step``).
    """

    code = "PF101"
    name = "model-without-optimizer"
    summary = "The model is prepared, the optimizer built from it is not"
    uncovers = OF_THE_LOOP

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each prepare call and place that an unprepared optimizer steps under."""
        groups: dict[tuple[ast.AST, str], tuple[PrepareCall, list[ObjectId], list[Use]]] = {}
        for number, steps in _unprepared(trace):
            call = _call_of_model(trace, number)
            if call is not None:
                key = (call.node, trace.text(steps[0].node))
                _, numbers, uses = groups.setdefault(key, (call, [], []))
                numbers.append(number)
                uses.extend(steps)
        for (_, name), (call, numbers, uses) in groups.items():
            yield self._finding(trace, name.removesuffix(".step"), call, numbers, uses)

    def _finding(self, trace: Trace, name: str, call: PrepareCall, numbers: list[ObjectId], uses: list[Use]) -> Finding:
        argument = _model_argument(trace, call, numbers[0])
        assert argument is not None, "the call was chosen since it has one"
        model_name, model, _ = argument
        step = uses[0]
        story = (
            f"the optimizer `{name}` ({origin(trace, numbers[0])} from the parameters of `{model_name}`) steps on line "
            f"{trace.line(step.node)} but never goes through prepare, while `{model_name}` is prepared on line "
            f"{trace.line(call.node)}"
        )
        consequence = (
            "with gradient accumulation it steps on every micro batch and ranks diverge, with fp16 gradients are never "
            f"unscaled, {_sharded(trace)}and save_state writes no optimizer"
        )
        proposal = _propose(trace, model, numbers, tuple(uses))
        objects = (tell(trace, name, numbers[0], uses), tell(trace, model_name, model, ()))
        key = f"{trace.scope(call.where.statement)}:{name}"
        span = trace.span(call.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)


def _sharded(trace: Trace) -> str:
    return "under FSDP2 prepare raises a ValueError, " if has_fsdp2(trace) else ""


def _propose(trace: Trace, model: ObjectId, numbers: list[ObjectId], uses: tuple[Use, ...]) -> Proposal | str:
    """Return how the optimizer joins the call of its model: each of them, where they stand in branches of their own."""
    calls = list({each.node: each for each in trace.prepared_with(model)}.values())
    if any(one.key in other.earlier for one in calls for other in calls if one is not other):
        return (
            "several prepare calls, one after the other, take the model: choose the one that the optimizer belongs to"
        )
    proposals: list[Proposal] = []
    for call in calls:
        argument = _model_argument(trace, call, numbers[0])
        if argument is None:
            return f"the call on line {trace.line(call.node)} takes the model within something else"
        place = _index_of_optimizer(trace, call, argument[2])
        proposal = propose_join(trace, call, frozenset(numbers), Role.OPTIMIZER, uses, place)
        if isinstance(proposal, str):
            return proposal
        proposals.append(proposal)
    repairs = tuple(repair for proposal in proposals for repair in proposal.repairs)
    title = proposals[0].title if len(calls) == 1 else proposals[0].title.replace("the same call", "each of the calls")
    return Proposal(title, combine(proposals), repairs)


def _index_of_optimizer(trace: Trace, call: PrepareCall, model: int) -> int:
    """Return where the optimizer of the argument at ``model`` joins: behind it, and in the order of the models.

    FSDP pairs optimizers with models by their order, and checkpoints number them by it.
    """
    earlier, later = [model + 1], [len(call.arguments)]
    for index, argument in enumerate(call.arguments):
        for number, _ in argument.value:
            if number in trace.objects and trace.role(number) is Role.OPTIMIZER:
                owners = trace.models_of(number)
                for other, owner in enumerate(call.arguments):
                    if any(n in trace.objects and trace.root(n) in owners for n, _ in owner.value):
                        (earlier if other < model else later).append(index + 1 if other < model else index)
    return min(max(earlier), min(later)) if min(later) > model else model + 1


def _unprepared(trace: Trace) -> Iterator[tuple[ObjectId, tuple[Use, ...]]]:
    """Yield the optimizers made here that step raw and are handed to no prepare call, with their steps."""
    if not trace.backwards:
        return
    for number in trace.objects_of(Role.OPTIMIZER):
        obj = trace.objects[number]
        if obj.prepared_from is not None or obj.kind is not Kind.OBJECT:
            continue
        if trace.prepared_with(number) or trace.is_touched_by_gap(number) or trace.may_prepare_itself(number):
            continue
        if trace.rebuilt_after(number) is not None:
            continue  # the new one of a prepared pair, which is another finding
        steps = tuple(use for use in trace.steps_of(number) if not trace.is_without_accelerator(use.where))
        if steps:
            yield number, steps


def _call_of_model(trace: Trace, optimizer: ObjectId) -> PrepareCall | None:
    """Return the prepare call that a model of ``optimizer`` goes through."""
    calls = (call for model in sorted(trace.models_of(optimizer)) for call in trace.prepared_with(model))
    return next((call for call in calls if _model_argument(trace, call, optimizer) is not None), None)


def _model_argument(trace: Trace, call: PrepareCall, optimizer: ObjectId) -> tuple[str, ObjectId, int] | None:
    """Return the name, number and index of the argument of ``call`` that ``optimizer`` was built from, if any is."""
    models = trace.models_of(optimizer)
    for index, argument in enumerate(call.arguments):
        for number, stage in argument.value:
            if stage is Stage.UNWRAPPED or number not in trace.objects:
                continue
            if trace.whole(trace.root(number)) in models:
                return trace.text(argument.node), trace.root(number), index
    return None
