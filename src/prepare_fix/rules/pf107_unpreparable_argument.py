"""PF107: prepare is handed something that it gives back untouched."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from prepare_fix.findings import Applicability, Finding, Proposal
from prepare_fix.flow.events import Argument, PrepareCall
from prepare_fix.flow.objects import Kind, ObjectId, Role
from prepare_fix.flow.trace import Trace
from prepare_fix.repairs import InsertStatement, MoveStatement, ReplaceExpression, SpliceArgument
from prepare_fix.rules import Rule
from prepare_fix.rules.joining import can_take_targets
from prepare_fix.rules.story import name_of, note, origin, report, tell

_WRAPPED = frozenset({Role.MODEL, Role.OPTIMIZER, Role.DATALOADER, Role.SCHEDULER})
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set)
_EFFECTS = {
    Role.MODEL: "nothing in it is prepared, and on several processes the ranks train alone",
    Role.OPTIMIZER: "nothing in it is prepared: with gradient accumulation it steps on every micro batch and ranks "
    "diverge",
    Role.DATALOADER: "on several processes every rank sees all the data",
}
"""What comes of a collection, by the first of these roles that is in it."""

# Constructors of what prepare never touches, by their public names in transformers, trl, datasets and torch.
_PASSED_ON = re.compile(
    r"transformers\.\w*(?:Tokenizer|TokenizerFast|Processor|FeatureExtractor)\.from_pretrained"
    r"|(?:transformers|trl)\.\w*Trainer|datasets\.load_(?:dataset|from_disk)|torch\.utils\.data\.(?:Tensor|Concat)Dataset"
)


class UnpreparableArgument(Rule):
    """A list, dict, iterator or generator goes through ``Accelerator.prepare``, which gives it back untouched.

    What it does:
        Finds prepare calls with a display of objects as one argument, or a name that holds one, with an iterator or
        generator around a DataLoader, and with a tokenizer, dataset or Trainer.

    Why it matters:
        ``prepare`` wraps models, optimizers, DataLoaders and schedulers and returns everything else as it came, without
        a message. The objects in a list are not registered, and the ranks train alone; optimizers in a list step on
        every micro batch. An iterator goes on with the raw loader: every rank sees all the data.

    Example:
        ```python
        import torch
        from accelerate import Accelerator

        def train(model, loader):
            accelerator = Accelerator()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            model, optimizer, loader = accelerator.prepare([model, optimizer, loader])
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
        Safe for a display whose members are taken out of the result in their order: they join the call. Unsafe for an
        iterator or generator: the loader is prepared in its place and the iterator made from the result, so each
        process sees its share of the data. None where the pieces don't stand in one block, for a collection that a name
        holds, and for a tokenizer, dataset or Trainer, which does no harm where it is.

    Limits:
        Only displays, names that surely hold one, iterators whose loader is known, and well-known classes are looked
        at; silent where what is in a collection also goes through ``prepare`` by itself.

    Source:
        accelerate 1.15.0, ``src/accelerate/accelerator.py`` (``_prepare_one``).
    """

    code = "PF107"
    name = "unpreparable-argument"
    summary = "prepare is handed a list, dict or iterator, which it gives back untouched"

    def check(self, trace: Trace) -> Iterator[Finding]:
        """Yield one finding for each argument that prepare does not touch although objects are in it."""
        for call in trace.prepare_calls:
            for index, argument in enumerate(call.arguments):
                if argument.starred or not argument.value or argument.node is call.node:
                    continue  # the last is a call in another file: what is handed over there can't be seen here
                if isinstance(argument.node, _DISPLAYS) or _is_collection(trace, call, argument):
                    if _members(trace, argument):
                        yield self._collection(trace, call, index, argument)
                    continue
                if argument.value and all(_is_passed_on(trace, number) for number, _ in argument.value):
                    yield self._passed_on(trace, call, argument)
                loaders = [trace.iterator_around(number) for number, _ in argument.value if number in trace.objects]
                if all(loaders):
                    yield self._iterator(trace, call, index, argument, min(min(each) for each in loaders))

    def _passed_on(self, trace: Trace, call: PrepareCall, argument: Argument) -> Finding:
        name = trace.text(argument.node)
        story = (
            f"`{name}` is no model, optimizer, DataLoader or scheduler: prepare gives it back untouched on line "
            f"{trace.line(call.node)}, and nothing of it is shared out between processes"
        )
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = tuple(
            tell(trace, name, number, (), untouched=True)
            for number in sorted(number for number, _ in argument.value)[:1]
        )
        reason = "leaving it out changes nothing"
        return report(self, trace, story, "", trace.span(argument.node), key, objects=objects, proposal=reason)

    def _collection(self, trace: Trace, call: PrepareCall, index: int, argument: Argument) -> Finding:
        name = trace.text(argument.node)
        kind = {ast.List: "a list", ast.Tuple: "a tuple", ast.Dict: "a dict", ast.Set: "a set"}
        handed = kind.get(type(argument.node), f"`{name}`, a list or the like,")
        story = f"prepare is handed {handed} on line {trace.line(argument.node)} and gives it back untouched"
        members = _members(trace, argument)
        roles = {trace.role(number) for number in members}
        consequence = next((words for role, words in _EFFECTS.items() if role in roles), "nothing in it is prepared")
        proposal: Proposal | str = "its members have no order in which they could be handed over"
        if isinstance(argument.node, (ast.List, ast.Tuple)):
            splice = SpliceArgument(trace.site(call), index)
            proposal = Proposal("Hand over the objects themselves", Applicability.SAFE, (splice,))
        elif not isinstance(argument.node, _DISPLAYS):
            proposal = f"hand over what is in `{name}`, one by one, and take that back"
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = tuple(tell(trace, name_of(trace, number), number, (), untouched=True) for number in members)
        span = trace.span(argument.node)
        return report(self, trace, story, consequence, span, key, objects=objects, proposal=proposal)

    def _iterator(self, trace: Trace, call: PrepareCall, index: int, argument: Argument, loader: ObjectId) -> Finding:
        name = trace.text(argument.node)
        story = (
            f"`{name}` walks the DataLoader {origin(trace, loader)} and is handed to prepare on line "
            f"{trace.line(call.node)}, which gives it back untouched"
        )
        consequence = "on several processes every rank sees all the data"
        proposal = _propose(trace, call, index, argument, loader)
        key = f"{trace.scope(call.where.statement)}:{name}"
        objects = (tell(trace, name_of(trace, loader), loader, ()),)
        notes = (note(trace, argument.node, call.where.context, f"`{name}` goes through prepare untouched"),)
        span = trace.span(argument.node)
        return report(self, trace, story, consequence, span, key, objects=objects, notes=notes, proposal=proposal)


def _is_collection(trace: Trace, call: PrepareCall, argument: Argument) -> bool:
    """Return whether a name surely holds a list or the like, of objects that go through no other prepare call."""
    kinds = {trace.objects[number].kind for number, _ in argument.value if number in trace.objects}
    return kinds == {Kind.CONTAINER} and not any(
        trace.is_touched_by_gap(number) or any(each.node is not call.node for each in trace.prepared_with(number))
        for number in _members(trace, argument)
    )


def _members(trace: Trace, argument: Argument) -> list[ObjectId]:
    """Return the objects in a collection that prepare would have wrapped."""
    roots = sorted({trace.root(number) for number, _ in argument.members if number in trace.objects})
    return [number for number in roots if trace.role(number) in _WRAPPED]


def _is_passed_on(trace: Trace, number: ObjectId) -> bool:
    """Return whether an object is surely a tokenizer, processor, dataset or Trainer, by what makes it."""
    obj = trace.objects.get(number)
    return obj is not None and obj.kind is Kind.OBJECT and _PASSED_ON.fullmatch(obj.name) is not None


def _propose(trace: Trace, call: PrepareCall, index: int, argument: Argument, loader: ObjectId) -> Proposal | str:
    obstacle = can_take_targets(call)
    if obstacle:
        return obstacle
    place = next((p for p, held in call.before.items() if {n for n, _ in held} == {loader}), None)
    if place is None:
        return "no name holds the DataLoader itself where the call stands"
    target = call.target_nodes[index]
    if isinstance(argument.node, ast.Call):
        return _inline(trace, call, argument.node, str(place), target)
    taken = trace.assignments_to(trace.text(argument.node))
    taken = tuple(each for each in taken if trace.outline.precedes(each, call.where.statement))
    if len(taken) != 1 or call.targets[index] != argument.place or argument.place is None:
        return "the iterator is not made by one statement in front of the call"
    between = trace.outline.between(taken[0], call.where.statement) or ()
    if any(trace.mentions(each, [argument.place]) for each in between):
        return "the iterator is used in front of the call"
    swap = [ReplaceExpression(trace.span(node), str(place)) for node in (argument.node, target)]
    move = MoveStatement(trace.span(taken[0]), trace.span(call.where.statement))
    title = f"Prepare `{place}` and make `{argument.place}` from it behind the call"
    return Proposal(title, Applicability.UNSAFE, (*swap, move))


def _inline(trace: Trace, call: PrepareCall, node: ast.Call, place: str, target: ast.expr) -> Proposal | str:
    """Return the repair for ``prepare(model, iter(loader))``: the loader goes in, the iterator is made behind."""
    inner = [each for each in node.args if trace.text(each) == place]
    if len(inner) != 1 or len(node.args) + len(node.keywords) != 1:
        return f"the iterator around `{place}` is made within the call"
    name = trace.text(target)
    again = f"{name} = {trace.text(node.func)}({name})"
    repairs = (ReplaceExpression(trace.span(node), place), InsertStatement(trace.span(call.where.statement), again))
    return Proposal(f"Prepare `{place}` and make the iterator behind the call", Applicability.UNSAFE, repairs)
