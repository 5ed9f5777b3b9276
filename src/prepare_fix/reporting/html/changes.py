"""What a fix does to the lines of a file, old and new side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from markupsafe import Markup

from prepare_fix.findings import Fix
from prepare_fix.hunks import Hunk, find_hunks
from prepare_fix.reporting.html.code import Piece, find_marks, highlight, render_line

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document


@dataclass(frozen=True, slots=True)
class Side:
    """A line before or after; ``number`` is as people count lines, within a cell in a notebook."""

    number: int
    code: Markup


@dataclass(frozen=True, slots=True)
class Pair:
    """A line before and the one that stands in its place; one of them may be missing."""

    old: Side | None
    new: Side | None
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Place:
    """The lines around one place of a fix; ``title`` says where it is."""

    title: str
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    pieces: Sequence[Piece]


def show_fix(document: Document, fix: Fix) -> tuple[Place, ...]:
    """Return what ``fix`` does to ``document``, place by place."""
    after = document.replaced([(edit.span, edit.new) for edit in sorted(fix.edits)])
    places = []
    shift, cell = 0, None
    for hunk in find_hunks(document.source, document.parts, after.parts):
        if hunk.first.cell != cell:
            shift, cell = 0, hunk.first.cell
        places.append(Place(str(hunk), tuple(_pair(hunk, shift))))
        shift += len(hunk.new) - len(hunk.old)
    return tuple(places)


def _pair(hunk: Hunk, shift: int) -> Iterator[Pair]:
    old = iter(_number(hunk.old, hunk.first.line))
    new = iter(_number(hunk.new, hunk.first.line + shift))
    for is_context, rows in groupby(hunk.rows, lambda row: row.mark == " "):
        marks = [row.mark for row in rows]
        before = [next(old) for mark in marks if mark != "+"]
        after = [next(new) for mark in marks if mark != "-"]
        for one, other in zip_longest(before, after):
            yield _render(one, other) if not is_context else Pair(_plain(one), _plain(other), is_changed=False)


def _number(lines: Sequence[str], first: int) -> list[_Line]:
    texts = [line.rstrip("\r\n") for line in lines]
    pairs = zip(texts, highlight(texts), strict=True)
    return [_Line(number, text, pieces) for number, (text, pieces) in enumerate(pairs, first)]


def _render(old: _Line | None, new: _Line | None) -> Pair:
    if old is None or new is None:
        return Pair(_plain(old), _plain(new), is_changed=True)
    gone, come = find_marks(old.text, new.text)
    before = Side(old.number, render_line(old.pieces, gone))
    return Pair(before, Side(new.number, render_line(new.pieces, come)), is_changed=True)


def _plain(line: _Line | None) -> Side | None:
    return Side(line.number, render_line(line.pieces)) if line is not None else None
