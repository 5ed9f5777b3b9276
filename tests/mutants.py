"""Correct training scripts with one mistake planted in each: what people forget, swap, rename and leave raw."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from object_flow import is_training_use, trace_of, trained

from prepare_fix.edits import Edit, apply_edits
from prepare_fix.flow.events import AcceleratorCall, Backward, Binding, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.sources.text import Span


@dataclass(frozen=True)
class Mutant:
    """``text`` has one mistake of ``kind``; a person would make ``wanted`` of it, unless there is a ``doubt``: a reason
    for which it may be meant, or may be right."""

    kind: str
    script: str
    text: str
    wanted: str
    doubt: str = ""


@dataclass(frozen=True)
class Script:
    name: str
    text: str

    @cached_property
    def trace(self) -> Trace:
        return trace_of(self.text)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The calls that unpack one result for each argument, each where it is written; two or more objects."""
        found = {}
        for call in self.trace.prepare_calls:
            plain = call.method == "prepare" and call.binding is Binding.UNPACKED and not call.node.keywords
            plain = plain and not any(argument.starred for argument in call.arguments)
            counted = call.count == len(call.targets) > 1 and None not in call.targets
            if plain and counted and getattr(call.where.statement, "value", None) is call.node:
                found[id(call.node)] = Call(self, call)
        return tuple(found.values())

    def edited(self, edits: Iterable[tuple[Span, str]]) -> str:
        return apply_edits(self.text, [Edit(span, self.text[span.start : span.end], new) for span, new in edits])


@dataclass(frozen=True)
class Call:
    """A prepare call, and what mutators need of it."""

    script: Script
    event: PrepareCall

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        return tuple(self.script.trace.text(argument.node) for argument in self.event.arguments)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        return tuple(self.script.trace.text(node) for node in self.event.target_nodes)

    @property
    def span(self) -> Span:
        return self.script.trace.span(self.event.where.statement)

    @property
    def indent(self) -> str:
        line = self.script.text.rfind("\n", 0, self.span.start) + 1
        return self.script.text[line : self.span.start]

    def role(self, index: int) -> Role:
        roles = {self.script.trace.role(number) for number in self.objects(index)}
        return roles.pop() if len(roles) == 1 else Role.UNKNOWN

    def objects(self, index: int) -> frozenset[ObjectId]:
        return frozenset(self.script.trace.root(number) for number, _ in self.event.arguments[index].value)

    def is_known(self, index: int) -> bool:
        """Return whether one object of a known role goes in and out under one name.

        What an unknown factory gives may be anything, and so may an item of a list or dict that is filled in a loop.
        """
        objects = [self.script.trace.objects[number] for number in self.objects(index)]
        if any(obj.role is Role.UNKNOWN and obj.kind is not Kind.PARAMETER for obj in objects):
            return False
        if isinstance(self.event.arguments[index].node, ast.Subscript) and any(obj.is_many for obj in objects):
            return False
        return self.arguments[index] == self.targets[index] and self.role(index) is not Role.UNKNOWN

    def trains(self, index: int) -> bool:
        return bool(self.objects(index) & trained(self.script.trace))

    def written(self, targets: Iterable[str], arguments: Iterable[str]) -> str:
        assert isinstance(self.event.node.func, ast.Attribute)
        receiver = self.script.trace.text(self.event.node.func.value)
        names = ", ".join(targets)
        return (
            f"{names} = {receiver}.prepare({', '.join(arguments)})"
            if names
            else f"{receiver}.prepare({', '.join(arguments)})"
        )

    def mutant(
        self, kind: str, code: str, *more: tuple[Span, str], wanted: str | None = None, doubt: str = ""
    ) -> Mutant:
        text = self.script.edited([(self.span, code), *more])
        return Mutant(kind, self.script.name, text, self.script.text if wanted is None else wanted, doubt)


def without(items: tuple[str, ...], index: int) -> tuple[str, ...]:
    return items[:index] + items[index + 1 :]


def put(items: tuple[str, ...], index: int, item: str) -> tuple[str, ...]:
    return (*items[:index], item, *items[index + 1 :])


def drop_an_object(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        for index in range(len(call.arguments)):
            if call.is_known(index) and call.trains(index):
                rest = call.written(without(call.targets, index), without(call.arguments, index))
                yield call.mutant(f"drop a {call.role(index).value}", rest, doubt=_doubt_about_leaving_out(call, index))


def _doubt_about_leaving_out(call: Call, index: int) -> str:
    """Return why an object may be left out of a call on purpose; empty where that is a mistake."""
    trace, role = call.script.trace, call.role(index)
    calls = {id(other.node) for number in call.objects(index) for other in trace.prepared_with(number)}
    if len(calls) > 1:
        return "another call prepares it: this one may be for another kind of run"
    if role is Role.DATALOADER and trace.shards_by_hand():
        return "the file speaks of data that is shared out by hand"
    if role is Role.SCHEDULER and not any(_is_made_to_be_prepared(trace, number) for number in call.objects(index)):
        return "the schedule's length does not say whether it is for a prepared scheduler"
    if role is Role.OPTIMIZER and not any(trace.prepared_with(model) for model in _models_of(call, index)):
        return "its model is not prepared either"
    return _doubt_about_a_raw_model(call, index) if role is Role.MODEL else ""


def _models_of(call: Call, index: int) -> set[ObjectId]:
    trace = call.script.trace
    return {model for number in call.objects(index) for model in trace.models_of(number)}


def _is_made_to_be_prepared(trace: Trace, scheduler: ObjectId) -> bool:
    """Return whether a schedule steps with every batch, and is as long as one process's batches or updates."""
    if trace.steps_once_anyway() or trace.counts_processes(scheduler):
        return False
    lengths = [number for number in trace.lengths_taken(scheduler) if number in trace.objects]
    if not any(trace.prepared_with(number) for number in lengths) and not trace.counts_updates(scheduler):
        return False
    if any(trace.objects[number].prepared_from is not None for number in lengths):
        return False
    return any(trace.steps_with_batches(use) for use in trace.scheduler_steps(scheduler))


def _doubt_about_a_raw_model(call: Call, index: int) -> str:
    trace = call.script.trace
    optimizers = [
        number for number in trace.objects if trace.role(number) is Role.OPTIMIZER and trace.prepared_with(number)
    ]
    owned = [trace.models_of(number) for number in optimizers if trace.models_of(number) & call.objects(index)]
    if not owned:
        return "no prepared optimizer is known to be built from it"
    if any(models - call.objects(index) for models in owned):
        return "the optimizer has other models too, so this one may be frozen"
    by_hand = re.search(r"DistributedDataParallel|\.reduce\(|all_reduce", call.script.text)
    return "its gradients may be exchanged by hand" if by_hand else ""


def miscount(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        for index in range(len(call.arguments)):
            if all(map(call.is_known, range(len(call.arguments)))):
                yield call.mutant("drop a target", call.written(without(call.targets, index), call.arguments))
                yield call.mutant("drop an argument", call.written(call.targets, without(call.arguments, index)))


def swap_targets(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        for index in range(len(call.targets) - 1):
            roles = {call.role(index), call.role(index + 1)}
            if len(roles) == 2 and Role.UNKNOWN not in roles:
                first, second = call.targets[index : index + 2]
                targets = put(put(call.targets, index, second), index + 1, first)
                yield call.mutant("swap targets", call.written(targets, call.arguments))


def rename_targets(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        known = all(map(call.is_known, range(len(call.arguments))))
        if known and all(isinstance(node, (ast.Name, ast.Attribute)) for node in call.event.target_nodes):
            renamed = tuple(map(_prefixed, call.targets))
            yield call.mutant("rename all targets", call.written(renamed, call.arguments))
            for index in range(len(renamed)):
                targets = put(call.targets, index, renamed[index])
                yield call.mutant("rename one target", call.written(targets, call.arguments))


def _prefixed(target: str) -> str:
    base, dot, name = target.rpartition(".")
    return f"{base}{dot}prepared_{name}"


def throw_away(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        if all(map(call.is_known, range(len(call.arguments)))):
            yield call.mutant("discard the result", call.written((), call.arguments))
            yield call.mutant("one name for all", call.written(call.targets[:1], call.arguments))


def split_the_call(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        models = [index for index in range(len(call.targets)) if call.role(index) is Role.MODEL and call.trains(index)]
        others = [call.role(index) for index in range(len(call.targets))]
        if len(models) == 1 and Role.OPTIMIZER in others and not call.indent.strip():
            first = call.written((call.targets[models[0]],), (call.arguments[models[0]],))
            rest = call.written(without(call.targets, models[0]), without(call.arguments, models[0]))
            yield call.mutant("split into two calls", f"{first}\n{call.indent}{rest}")


def take_an_alias(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        for index, node in enumerate(call.event.target_nodes):
            uses = [use for use in _later_uses(call, index) if isinstance(node, ast.Name)]
            uses = uses if all(_is_surely_behind(call, use) for use in uses) else []
            spans = {script.trace.span(each) for use in uses for each in _names(use, call.targets[index])}
            if call.is_known(index) and spans and not call.indent.strip():
                code = f"kept = {call.arguments[index]}\n{call.indent}{script.text[call.span.start : call.span.end]}"
                more = [(span, "kept") for span in spans]
                yield call.mutant(f"alias of a {call.role(index).value}", code, *more)


def wrap_the_loader(script: Script) -> Iterator[Mutant]:
    for call in script.calls:
        for index in range(len(call.arguments)):
            is_loader = call.is_known(index) and call.trains(index) and call.role(index) is Role.DATALOADER
            if is_loader and not call.indent.strip() and isinstance(call.event.target_nodes[index], ast.Name):
                yield from _wrapped(call, index)


def _wrapped(call: Call, index: int) -> Iterator[Mutant]:
    name, script = call.targets[index], call.script
    original = script.text[call.span.start : call.span.end]
    uses = [use for use in _later_uses(call, index) if use.kind is UseKind.ITERATE]
    uses = uses if all(_is_surely_behind(call, use) for use in uses) else []
    reads = [(script.trace.span(each), "walk") for use in uses for each in _names(use, name)]
    start = _first_import(script)
    for wrapper, more in (("iter", ()), ("itertools.cycle", ((Span(start, start), "import itertools\n"),))):
        inside = call.written(call.targets, put(call.arguments, index, f"{wrapper}({name})"))
        behind = f"{original}\n{call.indent}{name} = {wrapper}({name})"
        wanted = script.edited([(call.span, behind), *more])
        yield call.mutant(f"{wrapper}() in the call", inside, *more, wanted=wanted)
        if reads:
            early = f"walk = {wrapper}({name})\n{call.indent}{original}"
            late = f"{original}\n{call.indent}walk = {wrapper}({name})"
            wanted = script.edited([(call.span, late), *reads, *more])
            yield call.mutant(f"{wrapper}() in front of the call", early, *reads, *more, wanted=wanted)


def _first_import(script: Script) -> int:
    imports = (each for each in ast.walk(script.trace._tree) if isinstance(each, (ast.Import, ast.ImportFrom)))
    plain = [each for each in imports if each.col_offset == 0 and getattr(each, "module", "") != "__future__"]
    return min(script.trace.span(each).start for each in plain)


def _later_uses(call: Call, index: int) -> Iterator[Use]:
    """Yield the training uses of an object behind the call, in the same function."""
    trace = call.script.trace
    for use in trace.uses:
        same = use.where.function is call.event.where.function and trace.span(use.node).start > call.span.end
        if same and is_training_use(trace, use) and {trace.root(n) for n, _ in use.value} <= call.objects(index):
            yield use


def _is_surely_behind(call: Call, use: Use) -> bool:
    """Return whether a use stands in the block of the call, at whatever depth: what is bound there is bound for it."""
    outline, statement = call.script.trace.outline, use.where.statement
    block = outline.spot(call.event.where.statement).siblings
    return any(each in block for each in (statement, *outline.around(statement)))


def _names(use: Use, name: str) -> list[ast.expr]:
    nodes = use.holders or (use.node,)
    return [node for node in nodes if isinstance(node, ast.Name) and node.id == name]


def go_backward_alone(script: Script) -> Iterator[Mutant]:
    trace = script.trace
    for backward in {id(each.node): each for each in trace.backwards if not each.plain}.values():
        node = backward.node
        if len(node.args) == 1 and not isinstance(node.args[0], ast.Starred):
            loss, words = trace.text(node.args[0]), ", ".join(map(ast.unparse, node.keywords))
            code = f"{loss}.backward({words})" if isinstance(node.args[0], ast.Name) else f"({loss}).backward({words})"
            yield Mutant(
                "raw backward",
                script.name,
                script.edited([(trace.span(node), code)]),
                script.text,
                _doubt_about_backward(trace, backward),
            )


def _doubt_about_backward(trace: Trace, backward: Backward) -> str:
    if not trace.model_calls_behind(backward.loss):
        return "the loss is not known to come from a prepared model"
    if trace.divisions_behind(backward.loss) and not trace.may_accumulate(backward.owners):
        return "the loss is divided by hand: it takes a decision who divides"
    return ""


def clip_alone(script: Script) -> Iterator[Mutant]:
    doubt = "gradients may be unscaled by hand" if "GradScaler" in script.text else ""
    for call in {id(each.node): each for each in script.trace.accelerator_calls}.values():
        if call.method.startswith("clip_grad_") and _imports_torch(script):
            code = [(script.trace.span(call.node.func), f"torch.nn.utils.{call.method}")]
            yield Mutant("raw clip", script.name, script.edited(code), script.text, doubt)


def _imports_torch(script: Script) -> bool:
    return any(line.strip() == "import torch" for line in script.text.splitlines())


def zero_first(script: Script) -> Iterator[Mutant]:
    trace = script.trace
    blocks = {id(call.node): call for call in trace.accelerator_calls if call.method == "accumulate"}
    # Without a count nothing is accumulated, and it does not matter what comes first.
    blocks = {key: call for key, call in blocks.items() if trace.may_accumulate(call.accelerator)}
    for call in blocks.values():
        block = trace.with_statement(call)
        if block is None:
            continue
        for statement in block.body[1:]:
            if trace.text(statement).endswith(".zero_grad()") and "\n" not in trace.text(statement):
                steppers = {
                    trace.text(use.node) for use in trace.uses if use.name == "step" and _steps_in(trace, use, call)
                }
                doubt = "one optimizer may have to clear what the loss of another leaves" if len(steppers) > 1 else ""
                yield Mutant(
                    "zero_grad first in accumulate",
                    script.name,
                    _moved_first(script, block, statement),
                    script.text,
                    doubt,
                )


def _steps_in(trace: Trace, use: Use, block: AcceleratorCall) -> bool:
    is_optimizer = any(trace.role(number) is Role.OPTIMIZER for number, _ in use.value)
    return is_optimizer and block.node in use.where.accumulating


def _moved_first(script: Script, block: ast.With | ast.AsyncWith, statement: ast.stmt) -> str:
    """Return the script with a line of ``block`` moved to its top."""
    start = script.trace.span(block.body[0]).start
    indent = script.text[script.text.rfind("\n", 0, start) + 1 : start]
    span = script.trace.span(statement)
    first = (Span(start, start), f"{script.trace.text(statement)}\n{indent}")
    return script.edited([first, (Span(span.start - len(indent) - 1, span.end), "")])


MUTATORS: tuple[Callable[[Script], Iterator[Mutant]], ...] = (
    drop_an_object,
    miscount,
    swap_targets,
    rename_targets,
    throw_away,
    split_the_call,
    take_an_alias,
    wrap_the_loader,
    go_backward_alone,
    clip_alone,
    zero_first,
)


def mutants_of(script: Script) -> Iterator[Mutant]:
    """Yield the script with each mistake that can be planted in it."""
    for mutate in MUTATORS:
        yield from mutate(script)
