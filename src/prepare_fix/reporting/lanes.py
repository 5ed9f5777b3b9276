"""The way of each object through a script as lanes: what a terminal and a page draw, without how they draw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from prepare_fix.findings import Event, EventKind, Finding, Form, ObjectStory, When
from prepare_fix.sources.text import SourceText, Span

_ORDER = (*EventKind, None)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happens in a row: to the object ``name`` of lane ``lane`` (from 0), or to none (``None``).

    ``label`` says what, and ``form`` what is used, or what is at hand from there on.
    """

    lane: int | None
    name: str
    kind: EventKind | None
    form: Form
    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the source and what happens on it; ``line`` and ``cell`` are as a reader counts them.

    ``span`` is that of the first mark, ``fault`` that of the finding in the row where it lies.
    """

    line: int
    cell: int | None
    span: Span
    marks: tuple[Mark, ...]
    fault: Span | None = None

    def words(self) -> tuple[str, ...]:
        """Return what happens, in words: what happens to several objects alike is told of all of them at once."""
        names: dict[tuple[str, str], list[str]] = {}
        for mark in self.marks:
            form = f"{mark.form.value} " if mark.kind is EventKind.USED else ""
            names.setdefault((form, mark.label), []).append(mark.name)
        return tuple(f"{_subject(form, known)}{label}" for (form, label), known in names.items())


@dataclass(frozen=True, slots=True)
class Segment:
    """The stretch of a lane between two rows (by index), in which a form of the object is at hand.

    A raw or bare segment may run beside a prepared one: who keeps the raw object has both.
    """

    first: int
    last: int
    form: Form


@dataclass(frozen=True, slots=True)
class Lane:
    """One object: its name, its role, and the segments of its way."""

    name: str
    role: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The rows of a finding in the order in which the script runs, and a lane for each of its objects."""

    rows: tuple[Row, ...]
    lanes: tuple[Lane, ...]


def draw(source: SourceText, finding: Finding) -> Drawing:
    """Return the drawing of a finding whose spans lie in ``source``. One without objects has rows alone."""
    stories = sorted((story for story in finding.objects if story.events), key=lambda story: story.events[0].when)
    rows = _with_fault(source, finding, _rows(source, finding, stories))
    return Drawing(
        tuple(rows),
        tuple(Lane(story.name, story.role, tuple(_segments(index, rows))) for index, story in enumerate(stories)),
    )


def _rows(source: SourceText, finding: Finding, stories: Sequence[ObjectStory]) -> list[Row]:
    """Return a row for each stretch of events on one line, in the order in which they happen."""
    found = {(event.when, _mark(index, story, event)) for index, story in enumerate(stories) for event in story.events}
    found |= {(note.when, Mark(None, "", None, Form.RAW, note.label, note.span)) for note in finding.notes}
    ordered = sorted(found, key=lambda pair: (pair[0], *_rank(pair[1])))

    def place(pair: tuple[When, Mark]) -> tuple[When, int]:
        # One line in two calls of its function is two rows.
        return pair[0][:-1], source.position(pair[1].span.start).line

    rows = (_row(source, [mark for _, mark in group]) for _, group in groupby(ordered, place))
    # A function that is called again does again what was told of its first call.
    return list(dict.fromkeys(rows))


def _rank(mark: Mark) -> tuple[int, int, str]:
    """Return the order of what happens in one place: to each object in turn, and what the notes say of it last."""
    return _ORDER.index(mark.kind), -1 if mark.lane is None else mark.lane, mark.label


def _mark(lane: int, story: ObjectStory, event: Event) -> Mark:
    return Mark(lane, story.name, event.kind, event.form, event.label, event.span)


def _row(source: SourceText, marks: Sequence[Mark]) -> Row:
    place = source.locate(marks[0].span.start)
    return Row(place.line, place.cell, marks[0].span, tuple(marks))


def _with_fault(source: SourceText, finding: Finding, rows: list[Row]) -> list[Row]:
    """Return ``rows`` with that of the finding marked; it gets one of its own where it lies in none."""
    fault = finding.span
    line = source.position(fault.start).line
    same = [index for index, row in enumerate(rows) if source.position(row.span.start).line == line]
    around = [index for index, row in enumerate(rows) if any(mark.span.contains(fault) for mark in row.marks)]
    for index in [*same, *around][:1]:
        return [*rows[:index], replace(rows[index], fault=fault), *rows[index + 1 :]]
    index = next((index for index, row in enumerate(rows) if row.span > fault), len(rows))
    place = source.locate(fault.start)
    return [*rows[:index], Row(place.line, place.cell, fault, (), fault), *rows[index:]]


def _segments(lane: int, rows: Sequence[Row]) -> Iterator[Segment]:
    """Yield the segments of a lane: the raw object up to its prepare call, or to its last use, the prepared one from
    there to the end, the bare one up to its last use."""
    marks = [(index, mark) for index, row in enumerate(rows) for mark in row.marks if mark.lane == lane]
    first, end = marks[0][0], len(rows) - 1
    prepared = [index for index, mark in marks if mark.form is Form.PREPARED]
    raw = [index for index, mark in marks if mark.form is Form.RAW]
    bare = [index for index, mark in marks if mark.form is Form.BARE]
    if raw:
        yield Segment(first, max(*raw, *_starts(marks)) if prepared else end, Form.RAW)
    if prepared:
        yield Segment(prepared[0], end, Form.PREPARED)
    if bare:
        yield Segment(bare[0], bare[-1], Form.BARE)


def _starts(marks: Iterable[tuple[int, Mark]]) -> Iterator[int]:
    """Yield the rows up to which a raw object is of interest: those of the calls that prepare it, and its start."""
    for index, mark in marks:
        if mark.kind is EventKind.PREPARED or mark.kind is EventKind.CREATED:
            yield index


def _subject(form: str, names: Sequence[str]) -> str:
    """Return whom a sentence is about: nobody for a note, whose label says all."""
    quoted = [f"`{name}`" for name in names if name]
    if len(quoted) > 1:
        return f"each of {form}{', '.join(quoted[:-1])} and {quoted[-1]} "
    return f"{form}{quoted[0]} " if quoted else ""
