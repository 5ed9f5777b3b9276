"""Code on one line of a screen: lines joined, the rest cut where it can be seen that something is missing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from prepare_fix.reporting.screen import columns, printable
from prepare_fix.sources.text import SourceText, Span

_OPENING, _CLOSING = "([{", ")]}"
_MAX_LINES = 30
_TAB = "    "


@dataclass(frozen=True, slots=True)
class Piece:
    """A character as it is shown, or several for one that can't be; ``offset`` is where it stands in the source."""

    shown: str
    offset: int

    @property
    def columns(self) -> int:
        """How many columns of a terminal it takes."""
        return columns(self.shown)


Excerpt = tuple[Piece, ...]


def excerpt(source: SourceText, spans: Iterable[Span], mark: str) -> Excerpt:
    """Return the line on which the first of ``spans`` begins, without its indentation, and with those that follow up
    to the end of the last one, joined as if they had been written on one line.

    Where there is a comment in between, ``mark`` follows the first line: the rest would look like a part of it.
    """
    ordered = sorted(spans)
    first = source.position(ordered[0].start).line
    last = source.position(max(span.end for span in ordered)).line
    numbers = range(first, min(last, first + _MAX_LINES - 1) + 1)
    is_cut = numbers[-1] < last or any("#" in source.written_line(number) for number in numbers[:-1])
    if is_cut:
        numbers = numbers[:1]
    pieces: list[Piece] = []
    for number in numbers:
        _join(pieces, list(_pieces(source, number)))
    return (*pieces, Piece(mark, -1)) if is_cut else tuple(pieces)


def _pieces(source: SourceText, number: int) -> Iterator[Piece]:
    line = source.written_line(number)
    start = source.line_starts[number - 1] + len(line) - len(line.lstrip())
    yield from (Piece(piece.shown, piece.offset + start) for piece in pieces_of(line.strip()))


def _join(pieces: list[Piece], line: list[Piece]) -> None:
    """Let ``line`` go on behind ``pieces``."""
    if pieces and line:
        closes = line[0].shown in _CLOSING
        if closes and pieces[-1].shown == ",":
            pieces.pop()
        if not closes and pieces[-1].shown not in _OPENING:
            pieces.append(Piece(" ", pieces[-1].offset + 1))
    pieces += line


def width_of(pieces: Iterable[Piece]) -> int:
    """Return how many columns ``pieces`` take."""
    return sum(piece.columns for piece in pieces)


def cut(pieces: Excerpt, width: int, mark: str, focus: Span | None = None) -> Excerpt:
    """Return ``pieces`` within ``width`` columns, with ``mark`` where something is left out; the beginning of ``focus``
    stays."""
    if width_of(pieces) <= width:
        return pieces
    sign, room = columns(mark), width
    start = 0
    if focus is not None:
        at = next((index for index, piece in enumerate(pieces) if piece.offset >= focus.start), 0)
        if width_of(pieces[:at]) > width // 2:
            start = at
    front = (Piece(mark, -1),) if start else ()
    rest = pieces[start:]
    room -= width_of(front)
    if width_of(rest) <= room:
        return (*front, *rest)
    kept: list[Piece] = []
    used = 0
    for piece in rest:
        if used + piece.columns + sign > room:
            break
        kept.append(piece)
        used += piece.columns
    return (*front, *kept, Piece(mark, -1))


def fold(pieces: Excerpt, width: int, indent: int) -> list[Excerpt]:
    """Return ``pieces`` on lines of ``width`` columns, broken at blanks where there are any; those that follow are
    to stand behind ``indent`` blanks, for which they leave room."""
    # Where each piece ends, so that a long line takes no longer than its length asks for.
    ends = list(accumulate((piece.columns for piece in pieces), initial=0))
    lines: list[Excerpt] = []
    start, room = 0, width
    while ends[-1] - ends[start] > room:
        fitting = max(bisect_right(ends, ends[start] + room, lo=start) - 1 - start, 1)
        at = start + _break_before(pieces[start : start + fitting + 1], fitting)
        lines.append(pieces[start:at])
        start = at
        while start < len(pieces) and pieces[start].shown == " ":
            start += 1
        room = max(width - indent, 1)
    return [*lines, pieces[start:]]


def _break_before(pieces: Excerpt, limit: int) -> int:
    """Return where to break ``pieces``, at most at ``limit``: at a blank, or behind a bracket where that is far in
    front."""
    code = next((index for index, piece in enumerate(pieces) if piece.shown.strip()), 0)
    places = range(code + 1, min(limit + 1, len(pieces)))
    blank = max((index for index in places if pieces[index].shown == " "), default=0)
    if blank and blank >= limit // 2:
        return blank
    bracket = max((index for index in places if pieces[index - 1].shown in _OPENING), default=0)
    return max(blank, bracket) or limit


def stretch(pieces: Excerpt, span: Span) -> tuple[int, int]:
    """Return where ``span`` is shown: its first column (from 0) and how many it takes, 0 where it is not."""
    inside = [index for index, piece in enumerate(pieces) if span.start <= piece.offset < max(span.end, span.start + 1)]
    if not inside:
        return 0, 0
    return width_of(pieces[: inside[0]]), width_of(pieces[inside[0] : inside[-1] + 1])


def text_of(pieces: Iterable[Piece]) -> str:
    """Return ``pieces`` as they are shown."""
    return "".join(piece.shown for piece in pieces)


def pieces_of(text: str) -> Excerpt:
    """Return a line of text as pieces, which stand where they do in it."""
    return tuple(Piece(_TAB if char == "\t" else printable(char), offset) for offset, char in enumerate(text))
