"""The words and places in which a finding tells what happened to an object."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from prepare_fix.findings import Certainty, Event, EventKind, Finding, Form, ObjectStory, Proposal, Related
from prepare_fix.flow.events import Binding, PrepareCall, Use, UseKind
from prepare_fix.flow.objects import Kind, ObjectId, Role, Stage, Value
from prepare_fix.flow.trace import Trace
from prepare_fix.rules import Rule
from prepare_fix.sources.text import Span


def origin(trace: Trace, number: ObjectId) -> str:
    """Return where an object comes from, such as ``created on line 12``."""
    obj = trace.objects[trace.root(number)]
    if obj.kind is Kind.PARAMETER:
        return "which comes in as a parameter"
    return f"created on line {trace.line(obj.node)}" if obj.node is not None else "which comes from outside the file"


def describe(trace: Trace, name: str, number: ObjectId) -> str:
    """Return the object in a sentence: ``the optimizer `opt` (created on line 12)``, or without a name it has none."""
    role = trace.role(number)
    noun = f"the {role.value}" if role is not Role.UNKNOWN else ""
    named = f"`{name}`" if not noun or _is_name(name) else ""
    return " ".join(filter(None, (noun, named, f"({origin(trace, number)})")))


def _is_name(text: str) -> bool:
    return "(" not in text


def tell(
    trace: Trace,
    name: str,
    number: ObjectId,
    uses: Iterable[Use],
    verb: str = "",
    *,
    created: str = "is created",
    untouched: bool = False,
) -> ObjectStory:
    """Return the story of an object: created, prepared, used.

    ``verb`` says what the uses do (else each is told by its kind), ``created`` how it comes to be. With ``untouched``,
    prepare gives it back as it is.
    """
    events = {*_creation(trace, number, created), *_prepares(trace, number, untouched)}
    for use in uses:
        form = _form_in(trace, use, number)
        events.add(happening(trace, use.node, use.where.context, verb or doing(use), form))
        if form is Form.BARE:
            events |= set(_unwrappings(trace, number, use))
    role = trace.role(number).value
    shown = name if _is_name(name) else role
    return ObjectStory(shown, role, tuple(sorted(events, key=lambda event: (event.when, event.label))))


def happening(
    trace: Trace, node: ast.AST, context: int, label: str, form: Form = Form.RAW, kind: EventKind = EventKind.USED
) -> Event:
    """Return what happens to an object at ``node``, in the call context ``context``."""
    return Event(kind, trace.span(node), label, form, trace.when(node, context))


def note(trace: Trace, node: ast.AST, context: int, label: str) -> Related:
    """Return a further place of a finding: what happens at ``node``, in the call context ``context``."""
    span = trace.span(node)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        span = Span(span.start, trace.span(node.iter).end)  # the loop is told of by its first line
    return Related(span, label, trace.when(node, context))


def note_count(trace: Trace, count: ast.AST, owners: Iterable[ObjectId]) -> Related:
    """Return the place of the accumulation count that the accelerators ``owners`` are built with."""
    return note(trace, count, trace.objects[min(owners)].context, "the accelerator is given the count")


def tell_arguments(
    trace: Trace, call: PrepareCall, role: Role | None = None, *, untouched: bool = False
) -> tuple[ObjectStory, ...]:
    """Return the stories of what ``call`` is handed, all of it or what has ``role``, by the names it is handed as."""
    stories: dict[ObjectId, ObjectStory] = {}
    for argument in call.arguments:
        numbers = sorted({trace.root(number) for number, _ in argument.value if number in trace.objects})
        for number in numbers[:1]:
            if role in {None, trace.role(number)}:
                stories.setdefault(number, tell(trace, trace.text(argument.node), number, (), untouched=untouched))
    return tuple(stories.values())


def tell_use(trace: Trace, use: Use, verb: str = "") -> ObjectStory:
    """Return the story of the first object that ``use`` may hold, by the name that it is prepared under, if it is."""
    number = min(trace.root(number) for number, _ in use.value)
    calls = trace.prepared_with(number)
    return tell(trace, name_in(trace, calls[0], number) if calls else trace.text(use.node), number, (use,), verb)


def tell_owners(trace: Trace, parameters: Value) -> tuple[ObjectStory, ...]:
    """Return the stories of the prepared models that ``parameters`` belong to."""
    numbers = [number for number, _ in parameters if number in trace.objects]
    found = (owner for number in numbers for owner in (*trace.parameter_owners(number), number))
    owners = {trace.root(trace.whole(owner)) for owner in found}
    known = [(number, calls[0]) for number in sorted(owners) if (calls := trace.prepared_with(number))]
    return tuple(tell(trace, name_in(trace, call, number), number, ()) for number, call in known)


def name_in(trace: Trace, call: PrepareCall, number: ObjectId) -> str:
    """Return how ``call`` writes the object that it is handed."""
    for argument in call.arguments:
        if any(trace.root(each) == number for each, _ in argument.value | argument.members if each in trace.objects):
            return trace.text(argument.node)
    raise AssertionError("the object was found among the arguments of the call")


def name_of(trace: Trace, number: ObjectId) -> str:
    """Return the name that an object is created under, or else what it is."""
    statement = trace.creation_statement(number)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return trace.text(statement.targets[0])
    return trace.role(number).value


def doing(use: Use) -> str:
    """Return what is done with an object in ``use``."""
    if use.kind is UseKind.ITERATE:
        return "is iterated for training"
    if use.kind is UseKind.CALL:
        return "is called for the loss"
    if use.kind is UseKind.METHOD:
        return {"step": "steps", "zero_grad": "zeroes the gradients"}.get(use.name, f"is asked to `{use.name}`")
    return "is used"


def _creation(trace: Trace, number: ObjectId, label: str) -> Iterator[Event]:
    obj = trace.objects[trace.root(number)]
    if obj.node is not None and trace.created_at(obj.id) is not None:
        label = "comes in as a parameter" if obj.kind is Kind.PARAMETER else label
        yield happening(trace, obj.node, obj.context, label, Form.RAW, EventKind.CREATED)


def _prepares(trace: Trace, number: ObjectId, untouched: bool) -> Iterator[Event]:
    calls = trace.prepared_with(number)
    for call in calls:
        before = (other for other in calls if other.node is not call.node)
        again = " again" if any(other.key in call.earlier for other in before) else ""
        label, form = _outcome(trace, call, trace.root(number))
        if untouched:
            label, form = "goes through prepare untouched", Form.RAW
        yield happening(trace, call.node, call.where.context, f"{label}{again}", form, EventKind.PREPARED)


def _outcome(trace: Trace, call: PrepareCall, root: ObjectId) -> tuple[str, Form]:
    """Return what becomes of an object in ``call``: in words, and what is at hand from there on."""
    if call.binding is Binding.DISCARDED:
        return "is prepared, and nobody takes the result", Form.RAW
    if call.binding is Binding.ONE_NAME and (call.count or 0) > 1:
        return f"is prepared, into the tuple `{trace.text(call.target_nodes[0])}`", Form.PREPARED
    if call.binding is Binding.UNPACKED and call.count == len(call.target_nodes) == len(call.arguments):
        for argument, target in zip(call.arguments, call.target_nodes, strict=True):
            known = {trace.root(number) for number, _ in argument.value if number in trace.objects}
            if root in known and trace.text(target) != trace.text(argument.node):
                return f"is prepared, as `{trace.text(target)}`", Form.PREPARED
    return "is prepared", Form.PREPARED


def _form_in(trace: Trace, use: Use, number: ObjectId) -> Form:
    """Return what of an object is used: what may not be the prepared one is the reason to tell of it."""
    root = trace.root(number)
    stages = {stage for each, stage in use.value if trace.root(each) == root} or {stage for _, stage in use.value}
    if Stage.UNWRAPPED in stages:
        return Form.BARE
    return Form.PREPARED if stages == {Stage.PREPARED} else Form.RAW


def _unwrappings(trace: Trace, number: ObjectId, use: Use) -> Iterator[Event]:
    """Yield where the bare object of ``use`` is taken out of its wrapper."""
    root = trace.root(number)
    for call in trace.accelerator_calls:
        handed = {trace.root(each) for value in call.arguments for each, _ in value if each in trace.objects}
        repeated = bool(set(call.where.loops) & set(use.where.loops))
        leads_there = repeated or trace.is_before(call.where.statement, use.node)
        if call.method == "unwrap_model" and root in handed and leads_there:
            yield happening(trace, call.node, call.where.context, "is unwrapped", Form.BARE, EventKind.UNWRAPPED)


def report(
    rule: Rule,
    trace: Trace,
    story: str,
    consequence: str,
    span: Span,
    key: str,
    *,
    objects: tuple[ObjectStory, ...] = (),
    notes: tuple[Related, ...] = (),
    proposal: Proposal | str | None = None,
    certainty: Certainty = Certainty.EVERY_PATH,
) -> Finding:
    """Return a finding; ``key`` is what, besides the rule, tells it from others (no line numbers in it).

    ``story`` is what happens, ``consequence`` what breaks and in which mode; ``proposal`` is the repair, or the reason
    why there is none.
    """
    return Finding(
        rule=rule.code,
        name=rule.name,
        story=_on_one_line(story),
        consequence=_on_one_line(consequence),
        span=span,
        fingerprint=f"{rule.code}:{key}",
        certainty=certainty,
        objects=objects,
        notes=notes,
        proposal=proposal if isinstance(proposal, Proposal) else None,
        why_no_fix=proposal if isinstance(proposal, str) else "",
    )


def _on_one_line(text: str) -> str:
    """Return ``text`` with code that stands on several lines told on one."""
    return " ".join(text.split())


def arguments_of(call: PrepareCall) -> list[str]:
    """Return the arguments of a call that are places, as the source writes them."""
    return [str(argument.place) for argument in call.arguments if argument.place is not None]


def clipped(trace: Trace, call: ast.Call) -> str:
    """Return what a clipping call is handed the gradients of, as the source writes it."""
    named = [keyword.value for word in ("parameters", None) for keyword in call.keywords if keyword.arg == word]
    return trace.text(next(iter((*call.args, *named)), call))


def enumerate_names(names: Iterable[str]) -> str:
    """Return ``names`` as a reader wants them: ``a``, ``b`` and ``c``, each in backticks."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
