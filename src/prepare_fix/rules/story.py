"""The words and places in which a finding tells what happened to an object."""

from __future__ import annotations

from collections.abc import Iterable

from prepare_fix.findings import Certainty, Finding, ObjectStory, Proposal, Related
from prepare_fix.flow.events import PrepareCall, Use
from prepare_fix.flow.objects import Kind, ObjectId, Role
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
    """Return the object in a sentence: ``the optimizer `opt` (created on line 12)``."""
    role = trace.role(number)
    noun = f"the {role.value} " if role is not Role.UNKNOWN else ""
    return f"{noun}`{name}` ({origin(trace, number)})"


def tell(trace: Trace, name: str, number: ObjectId, uses: Iterable[Use]) -> ObjectStory:
    """Return the story of an object: created, prepared, used."""
    created = trace.created_at(trace.root(number))
    prepared = tuple(sorted({trace.span(call.node) for call in trace.prepared_with(number)}))
    used = tuple(sorted({trace.span(use.node) for use in uses}))
    return ObjectStory(name, trace.role(number).value, (created,) if created else (), prepared, used)


def related(trace: Trace, stories: Iterable[ObjectStory], verb: str) -> tuple[Related, ...]:
    """Return the places of ``stories`` as notes, in the order of the source; ``verb`` says what the uses do."""
    notes: set[tuple[Span, str]] = set()
    for story in stories:
        notes |= {(span, f"`{story.name}` is created") for span in story.created[:1]}
        notes |= {(span, f"`{story.name}` is prepared") for span in story.prepared[:1]}
        notes |= {(span, f"`{story.name}` {verb}") for span in story.used[:1]}
    return tuple(Related(span, label) for span, label in sorted(notes))


def report(
    rule: Rule,
    trace: Trace,
    message: str,
    span: Span,
    key: str,
    *,
    stories: tuple[ObjectStory, ...] = (),
    verb: str = "is used",
    proposal: Proposal | str | None = None,
    certainty: Certainty = Certainty.EVERY_PATH,
) -> Finding:
    """Return a finding; ``key`` is what, besides the rule, tells it from others (no line numbers in it).

    ``proposal`` is the repair, or the reason why there is none.
    """
    return Finding(
        rule=rule.code,
        name=rule.name,
        message=" ".join(message.split()),  # code over several lines is told on one
        span=span,
        fingerprint=f"{rule.code}:{key}",
        certainty=certainty,
        related=related(trace, stories, verb),
        objects=stories,
        proposal=proposal if isinstance(proposal, Proposal) else None,
        why_no_fix=proposal if isinstance(proposal, str) else "",
    )


def arguments_of(call: PrepareCall) -> list[str]:
    """Return the arguments of a call that are places, as the source writes them."""
    return [str(argument.place) for argument in call.arguments if argument.place is not None]


def enumerate_names(names: Iterable[str]) -> str:
    """Return ``names`` as a reader wants them: ``a``, ``b`` and ``c``, each in backticks."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
