"""Decoded source text: spans, and the way between offsets, lines and columns."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

# Python ends a line at these three only; ``str.splitlines`` splits at more (form feed, U+2028, ...).
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of decoded text: offsets in characters, 0-based, ``end`` exclusive."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        """Return whether ``other`` lies within this span (or is equal to it)."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Return whether the two spans share a character, or an empty one lies strictly inside."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place for people: ``line`` and ``column`` count from 1, columns in characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place as a report shows it: in a notebook ``line`` counts within the cell, elsewhere ``cell`` is ``None``."""

    cell: int | None
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: ``number`` is its position (from 1) among all cells, ``span`` its code in the joined text."""

    number: int
    span: Span


@dataclass(frozen=True, slots=True)
class Margin:
    """A piece of the text that stands in the file behind ``text`` on each of its lines."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of code that people read as a whole: that of a module, a cell or a block; ``start`` is its offset."""

    start: int
    text: str


def splice(text: str, changes: Iterable[tuple[Span, str]]) -> str:
    """Return ``text`` with the new string in the place of each span; the spans are sorted and do not overlap."""
    parts: list[str] = []
    done = 0
    for span, new in changes:
        parts += [text[done : span.start], new]
        done = span.end
    return "".join([*parts, text[done:]])


@dataclass(frozen=True)
class SourceText:
    """The decoded text of one file, and where its lines begin.

    ``cells`` is empty for all but notebooks, ``margins`` for all but Markdown with indented blocks.
    """

    text: str
    path: str = "<string>"
    cells: tuple[Cell, ...] = ()
    margins: tuple[Margin, ...] = ()
    in_tree: bool = False
    """The text is that of the file at ``path``, and what it imports and requires may be looked for around it."""
    written: str | None = None
    """What people wrote, where pieces of that are masked in ``text``: character by character as long."""

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets of the first character of each line."""
        if "\r" not in self.text:  # by far the most: a third of the time
            return tuple(accumulate((len(line) + 1 for line in self.text.split("\n")[:-1]), initial=0))
        return (0, *(match.end() for match in _LINE_END.finditer(self.text)))

    @property
    def written_text(self) -> str:
        """The text as people wrote it."""
        return self.text if self.written is None else self.written

    @cached_property
    def newline(self) -> str:
        """The first line end of the text, a line feed where it has none."""
        found = _LINE_END.search(self.text)
        return found.group() if found else "\n"

    def slice(self, span: Span) -> str:
        """Return the text that ``span`` covers."""
        return self.text[span.start : span.end]

    def position(self, offset: int) -> Position:
        """Return the line and column of the character at ``offset``."""
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1)

    def locate(self, offset: int) -> Location:
        """Return the place of the character at ``offset`` for a report: cell, line, column."""
        line, column = (place := self.position(offset)).line, place.column
        if not self.cells:
            return Location(None, line, column + len(self.margin(offset)))
        index = bisect_right(self.cells, offset, key=lambda cell: cell.span.start)
        cell = self.cells[max(index - 1, 0)]
        return Location(cell.number, line - self.position(cell.span.start).line + 1, column)

    def margin(self, offset: int) -> str:
        """Return what stands in the file, but not in the text, in front of the line of ``offset``."""
        index = bisect_right(self.margins, offset, key=lambda margin: margin.span.start) - 1
        return self.margins[index].text if index >= 0 and offset < self.margins[index].span.end else ""

    def line(self, number: int) -> str:
        """Return line ``number`` (from 1) without its line end."""
        return self._cut_line(self.text, number)

    def written_line(self, number: int) -> str:
        """Return line ``number`` (from 1) as people wrote it, without its line end."""
        return self._cut_line(self.written_text, number)

    def _cut_line(self, text: str, number: int) -> str:
        start = self.line_starts[number - 1]
        end = self.line_starts[number] if number < len(self.line_starts) else len(text)
        return text[start:end].rstrip("\r\n")

    def offset(self, line: int, utf8_column: int) -> int:
        """Return the offset of an ``ast`` position: lines from 1, columns in UTF-8 bytes from 0."""
        start = self.line_starts[line - 1]
        candidate = self.text[start : start + utf8_column]
        if candidate.isascii():
            return start + utf8_column
        return start + len(candidate.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "ignore"))

    def indentation(self, offset: int) -> str:
        """Return the white space between the start of the line of ``offset`` and its first other character."""
        start = self.line_starts[bisect_right(self.line_starts, offset) - 1]
        end = start
        while end < len(self.text) and self.text[end] in " \t\f":
            end += 1
        return self.text[start:end]
