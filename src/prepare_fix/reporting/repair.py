"""What a fix changes, as a few lines that go and lines that come."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prepare_fix.edits import Edit, apply_edits
from prepare_fix.findings import Fix
from prepare_fix.sources.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class Change:
    """A line of the source: one that goes (``-``), one that comes (``+``), or one that stays beside it (blank).

    ``line`` and ``cell`` are as a reader counts the lines that are there; ``None`` for one that comes.
    """

    sign: str
    line: int | None
    cell: int | None
    text: str


def change_lines(source: SourceText, fix: Fix) -> list[list[Change]]:
    """Return what ``fix`` does to ``source``, one list for each place, without the indentation that its lines share.

    Where nothing goes, the line in front stands for the place.
    """
    return [_dedent(list(_compare(source, edits))) for edits in _places(source, fix)]


def _places(source: SourceText, fix: Fix) -> Iterator[list[Edit]]:
    """Yield the edits that touch the same lines, or such that follow each other."""
    group: list[Edit] = []
    for edit in sorted(fix.edits):
        if group and source.position(edit.span.start).line > source.position(group[-1].span.end).line + 1:
            yield group
            group = []
        group.append(edit)
    yield group


def _compare(source: SourceText, edits: Sequence[Edit]) -> Iterator[Change]:
    first, last = source.position(edits[0].span.start).line, source.position(edits[-1].span.end).line
    # One line more in front: an insertion begins at the start of the line behind it.
    first = max(first - 1, 1)
    start = source.line_starts[first - 1]
    end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
    old_text = source.written_text[start:end]
    moved = [Edit(Span(edit.span.start - start, edit.span.end - start), edit.old, edit.new) for edit in edits]
    old = SourceText(old_text)
    new = SourceText(apply_edits(old_text, moved))
    before, after = _lines(old), _lines(new)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            continue
        if i1 == i2 and i1:
            yield _there(source, first + i1 - 1, " ")
        yield from (_there(source, first + index, "-") for index in range(i1, i2))
        yield from (Change("+", None, None, after[index]) for index in range(j1, j2))


def _lines(text: SourceText) -> list[str]:
    lines = [text.line(number) for number in range(1, len(text.line_starts) + 1)]
    return lines[:-1] if lines and not lines[-1] else lines


def _there(source: SourceText, number: int, sign: str) -> Change:
    place = source.locate(source.line_starts[number - 1])
    return Change(sign, place.line, place.cell, source.written_line(number))


def _dedent(changes: Sequence[Change]) -> list[Change]:
    lines = textwrap.dedent("\n".join(change.text for change in changes)).split("\n")
    return [Change(change.sign, change.line, change.cell, line) for change, line in zip(changes, lines, strict=True)]
