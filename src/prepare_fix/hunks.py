"""A change in pieces that people read, and change with an editor: the lines around each place, old and new."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from prepare_fix.edits import Edit
from prepare_fix.errors import EditConflictError
from prepare_fix.sources.text import Location, Part, SourceText, Span

CONTEXT = 3
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_NOTE = "#~ "
_PLACE = "#~ @@ "


@dataclass(frozen=True, slots=True)
class Row:
    """A line, with its end: ``mark`` is a blank, ``-`` or ``+`` as in a diff."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """What a change does at one place of a text.

    ``span`` covers the old lines, those of ``rows`` without a ``+``; the first stands at ``first``, the last at
    ``last``.
    """

    span: Span
    first: Location
    last: Location
    rows: tuple[Row, ...]

    @property
    def old(self) -> list[str]:
        """The lines as they are."""
        return [row.text for row in self.rows if row.mark != "+"]

    @property
    def new(self) -> list[str]:
        """The lines as the change makes them."""
        return [row.text for row in self.rows if row.mark != "-"]

    def __str__(self) -> str:
        cell = f"cell {self.first.cell}, " if self.first.cell is not None else ""
        if self.first.line == self.last.line:
            return f"{cell}line {self.first.line}"
        return f"{cell}lines {self.first.line} to {self.last.line}"


def find_hunks(source: SourceText, before: Sequence[Part], after: Sequence[Part]) -> list[Hunk]:
    """Return what has to be done to ``before``, the parts of ``source``, to come to ``after``: as many parts."""
    return [
        hunk
        for old, new in zip(before, after, strict=True)
        if old.text != new.text
        for hunk in _find_in_part(source, old, new.text)
    ]


def _find_in_part(source: SourceText, part: Part, new_text: str) -> Iterator[Hunk]:
    old, new = _LINE.findall(part.text), _LINE.findall(new_text)
    starts = [part.start]
    for line in old:
        starts.append(starts[-1] + len(line))
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        rows: list[Row] = []
        for kind, low, high, new_low, new_high in group:
            if kind == "equal":
                rows += [Row(" ", line) for line in old[low:high]]
            else:
                rows += [Row("-", line) for line in old[low:high]]
                rows += [Row("+", line) for line in new[new_low:new_high]]
        first, stop = group[0][1], group[-1][2]
        span = Span(starts[first], starts[stop])
        yield Hunk(span, source.locate(span.start), source.locate(starts[max(stop - 1, first)]), tuple(rows))


def build_draft(hunks: Iterable[Hunk], title: str) -> str:
    """Return the new lines of ``hunks`` as a text for an editor, under lines that say what to do.

    ``title`` names what they are from.
    """
    lines = [
        f"{_NOTE}{title} as it would be with this fix. Change the lines as you like,",
        f"{_NOTE}save and close. Lines that begin with {_NOTE.strip()} part the places and are not taken over.",
        f"{_NOTE}Without any other line, the fix stays as it was.",
    ]
    for hunk in hunks:
        lines += [f"{_PLACE}{hunk}", *(line.rstrip("\r\n") for line in hunk.new)]
    return "\n".join(lines) + "\n"


def read_draft(draft: str, hunks: Sequence[Hunk], source: SourceText) -> tuple[Edit, ...]:
    """Return the edits of ``source`` that make the old lines of ``hunks`` into those of ``draft``.

    What an edit does not touch keeps its line end. There are no edits where no line is left.

    Raises:
        EditConflictError: the lines that part the places are gone.
    """
    places: list[list[str]] = []
    for line in _LINE.findall(draft):
        body = line.rstrip("\r\n")
        if body.startswith(_PLACE):
            places.append([])
        elif places and not body.startswith(_NOTE):
            places[-1].append(body)
    if len(places) != len(hunks):
        raise EditConflictError(f"the lines that begin with {_PLACE.strip()} have to stay: each stands for a place")
    if not any(places):
        return ()
    return tuple(
        edit for hunk, lines in zip(hunks, places, strict=True) for edit in _edits_of_hunk(hunk, lines, source)
    )


def _edits_of_hunk(hunk: Hunk, lines: Sequence[str], source: SourceText) -> Iterator[Edit]:
    old = hunk.old
    bodies = [line.rstrip("\r\n") for line in old]
    starts = [hunk.span.start]
    for line in old:
        starts.append(starts[-1] + len(line))
    for kind, low, high, new_low, new_high in SequenceMatcher(None, bodies, lines, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        span = Span(starts[low], starts[high])
        new = "".join(line + source.newline for line in lines[new_low:new_high])
        if high == len(old) and old and bodies[-1] == old[-1]:
            new = _without_last_line_end(new, source.newline, is_added=low == high)
        yield Edit(span, source.slice(span), new)


def _without_last_line_end(new: str, newline: str, *, is_added: bool) -> str:
    """Return lines for the end of a text that has no line end there."""
    body = new.removesuffix(newline)
    return newline + body if is_added else body
