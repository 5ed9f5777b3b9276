"""What one micro batch of a training loop consists of, and how it goes under ``accumulate``."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from prepare_fix.findings import Applicability, Proposal
from prepare_fix.flow.events import AcceleratorCall, Backward, Use, UseKind
from prepare_fix.flow.objects import ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import WrapAccumulate
from prepare_fix.rules.story import enumerate_names


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """A loop over micro batches in which a loss goes backward and optimizers step in every round; ``count`` is the
    number of micro batches per update, as it is configured for the accelerators ``owners``."""

    loop: ast.For | ast.AsyncFor
    walk: Use
    count: ast.expr
    owners: frozenset[ObjectId]
    steps: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """The models that an ``accumulate`` block trains and does not name: the first call of each, by its name."""

    calls: dict[str, Use]


def find_micro_batch(trace: Trace, backward: Backward) -> MicroBatch | None:
    """Return the loop that ``backward`` trains in, where it should accumulate and nothing in it does."""
    where = backward.where
    if not where.loops or where.accumulating or trace.accumulates_by_hand or trace.is_without_accelerator(where):
        return None
    owners = _owners(trace, backward)
    count = trace.accumulation(owners)
    walk = trace.walk_of(where.loops[-1])
    if count is None or walk is None or not isinstance(walk.call, (ast.For, ast.AsyncFor)):
        return None
    if any(
        call.where.function is where.function or set(call.where.loops) & set(where.loops)
        for call in trace.accumulate_calls
    ):
        return None
    steps = tuple(use for use in _optimizer_calls(trace, "step") if use.where.loops == where.loops)
    if not steps or any(trace.differs_by_round(use.where, walk.where, walk.call) for use in steps):
        return None
    return MicroBatch(walk.call, walk, count, owners, steps)


def _owners(trace: Trace, backward: Backward) -> frozenset[ObjectId]:
    if backward.owners:
        return backward.owners
    numbers = {number for use in trace.model_calls_behind(backward.loss) for number, _ in use.value}
    return frozenset(owner for n in numbers for call in trace.prepared_with(n) for owner in call.accelerator)


def _optimizer_calls(trace: Trace, method: str) -> list[Use]:
    return [
        use
        for use in trace.uses
        if use.kind is UseKind.METHOD and use.name == method
        if any(trace.role(number) is Role.OPTIMIZER for number, _ in use.value)
    ]


def propose_wrapping(trace: Trace, backward: Backward, micro_batch: MicroBatch) -> Proposal | str:
    """Return how the body of the loop goes under ``accumulate``, or why it does not."""
    loops = backward.where.loops
    calls = [use for use in trace.model_calls_behind(backward.loss) if use.where.loops == loops]
    if not calls:
        return "the loss does not come from a prepared model: see to that first"
    models = tuple(dict.fromkeys(trace.text(use.node) for use in calls))
    if any(use.where.function is not micro_batch.walk.where.function for use in (*calls, *micro_batch.steps)):
        return (
            "forward, backward and step do not all stand in the loop itself: open `accumulate` with "
            f"{enumerate_names(models)} around all that the loop does with a batch"
        )
    if any(stage is not Stage.PREPARED for use in (*calls, *micro_batch.steps) for _, stage in use.value):
        return "what trains here is not prepared on every path: see to that first, accumulate holds no raw step back"
    if not isinstance(backward.node.func, ast.Attribute) or backward.plain:
        return "the loss goes backward without the accelerator"
    zeros = [
        use for use in trace.uses if use.kind is UseKind.METHOD and use.name == "zero_grad" and use.where.loops == loops
    ]
    if any(trace.role(number) is Role.MODEL for use in zeros for number, _ in use.value):
        return "the model zeroes its gradients on every micro batch: let the optimizer do so"
    run = _run(trace, micro_batch, calls, zeros, backward)
    if isinstance(run, str):
        return run
    accelerator = trace.text(backward.node.func.value)
    guarded = tuple(
        trace.span(call.where.statement)
        for call in trace.clip_calls
        if call.where.loops == loops
        and trace.is_statement(call.node)
        and not trace.own_guards(call.where, calls[0].where)
        if any(_holds(each, call.node) for each in run)
    )
    repair = WrapAccumulate(tuple(trace.span(each) for each in run), accelerator, models, guarded)
    title = f"Put the micro batch under `{accelerator}.accumulate` of {enumerate_names(models)}"
    return Proposal(title, Applicability.UNSAFE, (repair,))


def _run(
    trace: Trace, micro_batch: MicroBatch, calls: list[Use], zeros: list[Use], backward: Backward
) -> list[ast.stmt] | str:
    """Return the statements of the loop that make up a micro batch: behind a ``zero_grad`` at the top, up to the last
    one that steps something."""
    body = micro_batch.loop.body
    first = min(_index(body, [use.node for use in calls]))
    early = [use for use in zeros if trace.is_before(use.where.statement, backward.node)]
    if any(min(_index(body, [use.node])) >= first for use in early):
        return f"`zero_grad` on line {trace.line(early[-1].node)} stands between forward and backward"
    start = max(_index(body, [use.node for use in early]), default=-1) + 1
    last = _index(body, [use.node for use in trace.uses if use.name in {"step", "zero_grad"}] + [backward.node])
    return body[start : max(last) + 1]


def _index(body: list[ast.stmt], nodes: Iterable[ast.AST]) -> list[int]:
    return [index for node in nodes for index, statement in enumerate(body) if _holds(statement, node)]


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    return any(each is node for each in ast.walk(statement))


def find_left(trace: Trace, call: AcceleratorCall) -> Left | None:
    """Return the models that the block under an ``accumulate`` call trains and the call does not name."""
    if call.method != "accumulate" or not call.arguments or not trace.may_accumulate(call.accelerator):
        return None
    if not all(call.arguments) or any(isinstance(node, ast.Starred) for node in call.node.args):
        return None
    inside = [use for use in trace.uses if use.where.accumulating[-1:] == (call.node,)]
    around = {id(node) for use in inside for node in use.where.accumulating}
    calls = [each for each in trace.accumulate_calls if id(each.node) in around]
    named = {trace.root(number) for each in calls for value in each.arguments for number, _ in value}
    stepping = [use for use in inside if use.kind is UseKind.METHOD and use.name == "step"]
    trained = {model for use in stepping for number, _ in use.value for model in trace.models_of(number)}
    if not named <= trained:
        return None
    found: dict[str, Use] = {}
    for use in inside:
        is_trained = use.kind is UseKind.CALL and trace.is_training(use) and use.where.function is call.where.function
        if is_trained and all(
            stage is Stage.PREPARED and trace.root(number) in trained - named for number, stage in use.value
        ):
            found.setdefault(trace.text(use.node), use)
    return Left(found) if found else None
