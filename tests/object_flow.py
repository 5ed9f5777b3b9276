"""What happens to the objects of a script, as facts that do not depend on names, layout or order of arguments.

Two scripts with the same facts prepare the same objects together, train with them in the same stages, and go backward,
clip and zero in the same way. Objects are known by the source of what creates them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from prepare_fix.flow.events import PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage
from prepare_fix.flow.trace import Trace, build_trace
from prepare_fix.sources.text import SourceText

Fact = tuple[object, ...]


@lru_cache(maxsize=4096)
def trace_of(text: str) -> Trace:
    return build_trace(SourceText(text))


@lru_cache(maxsize=4096)
def facts_of(text: str) -> frozenset[Fact]:
    """Return the facts about the objects that train in a script."""
    trace = trace_of(text)
    return frozenset([*_prepared(trace), *_used(trace), *_gradients(trace)])


def is_training_use(trace: Trace, use: Use) -> bool:
    """Return whether a use makes an object part of the training: it computes a loss, steps, zeroes or gives batches."""
    if use.kind is UseKind.METHOD and use.name in {"step", "zero_grad"}:
        return True
    return use.kind in {UseKind.CALL, UseKind.ITERATE} and trace.is_training(use)


def key_of(trace: Trace, number: ObjectId) -> str:
    """Return what an object is known by in every version of a script."""
    obj = trace.objects[trace.root(number)]
    made = ast.unparse(obj.node) if isinstance(obj.node, (ast.expr, ast.stmt, ast.arg)) else ""
    return f"{obj.kind.name} {obj.name} {made}"


def trained(trace: Trace) -> frozenset[ObjectId]:
    """Return the raw objects that are used in training, in whatever stage; for an iterator, what it walks."""
    found = set()
    for use in trace.uses:
        if is_training_use(trace, use):
            found |= {trace.root(number) for number, _ in use.value}
    return frozenset(found)


def _prepared(trace: Trace) -> Iterator[Fact]:
    wanted = trained(trace)
    for call in trace.prepare_calls:
        handed = {number for number in _handed(trace, call) if number in wanted}
        for number in handed:
            yield "prepared", key_of(trace, number)
        together = {number for number in handed if trace.role(number) in {Role.MODEL, Role.OPTIMIZER}}
        for number in together:
            # Which models and optimizers go through one call, seen from each of them.
            yield "together", key_of(trace, number), frozenset(key_of(trace, other) for other in together)


def _handed(trace: Trace, call: PrepareCall) -> set[ObjectId]:
    return {
        trace.root(number) for argument in call.arguments for number, _ in argument.value if number in trace.objects
    }


def _used(trace: Trace) -> Iterator[Fact]:
    for use in trace.uses:
        if is_training_use(trace, use):
            for number, stage in use.value:
                yield "used", use.kind.name, use.name, key_of(trace, number), stage.name
    for call in trace.accelerator_calls:
        if call.method in {"accumulate", "no_sync"}:
            for value in call.arguments:
                for number, stage in value:
                    if trace.objects[number].kind is not Kind.CONTAINER:
                        yield "accumulated", key_of(trace, number), stage.name


def _gradients(trace: Trace) -> Iterator[Fact]:
    for backward in trace.backwards:
        for use in trace.model_calls_behind(backward.loss):
            for number, stage in use.value:
                if stage is not Stage.RAW:
                    yield "backward", "plain" if backward.plain else "accelerator", key_of(trace, number)
    # Lines tell places apart but move with every repair: only how many there are of each kind is kept.
    nodes = {(backward.plain, id(backward.node)) for backward in trace.backwards}
    for plain in (False, True):
        yield "backwards", plain, sum(each is plain for each, _ in nodes)
    clips = {(type(call).__name__, id(call.node)) for call in trace.clip_calls}
    for kind in ("AcceleratorCall", "SymbolCall"):
        yield "clips", kind, sum(each == kind for each, _ in clips)
    yield "zeroed first", sum(1 for _ in zeroed_first(trace))


def zeroed_first(trace: Trace) -> Iterator[Use]:
    """Yield where gradients are zeroed inside ``accumulate`` in front of every backward of the block."""
    seen = set()
    for use in trace.uses:
        if use.name == "zero_grad" and use.where.accumulating and id(use.node) not in seen:
            inside = [each for each in trace.backwards if use.where.accumulating[-1] in each.where.accumulating]
            if inside and all(trace.is_before(use.where.statement, each.node) for each in inside):
                seen.add(id(use.node))
                yield use
