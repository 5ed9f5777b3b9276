"""Python in Markdown: each fenced block is a program of its own, and nothing outside of the blocks is changed.

The text of all blocks has a line for each line of the file, so that line numbers are those of the file; lines that are
no Python are empty. A block that is indented, in a list for example, is read without its margin, and new lines get it.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from os.path import commonprefix

from prepare_fix.errors import SourceError
from prepare_fix.sources.text import Margin, Part, SourceText, Span, splice

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
_FENCE = re.compile(
    r"(?P<quote>(?: {0,3}> ?)*)(?P<indent>[ \t]*)(?P<marker>(?:[-*+]|\d{1,9}[.)])[ \t]+)?"
    r"(?P<fence>`{3,}(?=[^`\r\n]*[\r\n]*$)|~{3,})(?P<info>[^\r\n]*)"
)
# ```python title="x", ```{python}, ```{.py}, ```Python: but not ```python-console
_PYTHON = re.compile(r"\s*\{?\s*\.?(?:python3?|py3?)(?![\w.+-])", re.IGNORECASE)
_COMMENT = re.compile(r" {0,3}<!--(?!.*-->)")
_NO_LINE_END = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Block:
    """The code of one fenced block: its span in the text, the numbers (from 0) of its lines, and its margin."""

    span: Span
    first: int
    stop: int
    margin: str


@dataclass(frozen=True)
class Markdown:
    """A Markdown file as bytes, and the code of its Python blocks as a text with as many lines."""

    source: SourceText
    raw: bytes
    blocks: tuple[Block, ...]
    lines: tuple[str, ...]
    bom: bytes = b""

    @property
    def programs(self) -> Iterator[SourceText]:
        """Yield the blocks one by one, each in its place in an otherwise blank text."""
        text = self.source.text
        blank = _NO_LINE_END.sub(" ", text)
        for block in self.blocks:
            program = blank[: block.span.start] + text[block.span.start : block.span.end]
            yield SourceText(program, self.source.path, margins=self.source.margins)

    @property
    def encoding(self) -> str:
        """That of all Markdown."""
        return "utf-8"

    @property
    def file_text(self) -> str:
        """The text of the file, less a byte order mark."""
        return "".join(self.lines)

    def in_file(self, span: Span) -> Span:
        """Return where in ``file_text`` the code at ``span`` is."""
        return Span(self._offset_in_file(span.start), self._offset_in_file(span.end))

    def _offset_in_file(self, offset: int) -> int:
        line, column = self._line_and_column(offset)
        return self._raw_starts[line] + self._margin(line, self._block(offset)) + column

    def changes_in_file(self, changes: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
        """Return what ``replaced`` changes in ``file_text``; ``changes`` are those given to it.

        Raises:
            SourceError: of kind ``refused`` where a change reaches out of a block.
        """
        return [self._outward(span, new) for span, new in changes]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The code as people read it, block by block."""
        return tuple(Part(block.span.start, self.source.slice(block.span)) for block in self.blocks)

    def replaced(self, changes: Sequence[tuple[Span, str]]) -> Markdown:
        """Return the file with a new string at each span; the spans are sorted and do not overlap.

        Raises:
            SourceError: of kind ``refused`` where a change reaches out of a block.
        """
        text = splice(self.file_text, self.changes_in_file(changes))
        after = read_markdown(self.bom + text.encode("utf-8"), self.source.path)
        # Whatever a new line looks like to Markdown: it must not end the block.
        if after.source.text != splice(self.source.text, changes):
            raise SourceError("refused", "the repair would change where the block of code ends")
        return after

    @cached_property
    def _raw_starts(self) -> tuple[int, ...]:
        return (0, *accumulate(len(line) for line in self.lines))

    def _outward(self, span: Span, new: str) -> tuple[Span, str]:
        """Return a change of the code as a change of the file."""
        block = self._block(span.start)
        if not block.span.contains(span):
            raise SourceError("refused", "the repair would reach over the border of a block")
        first, column = self._line_and_column(span.start)
        last, end_column = self._line_and_column(span.end)
        start = self._raw_starts[first] + (self._margin(first, block) + column if column else 0)
        end = self._raw_starts[last] + self._margin(last, block) + end_column
        kept = self.lines[last][: self._margin(last, block)]
        return Span(start, end), _with_margins(new, block.margin, column == 0, kept if end_column == 0 else None)

    def _block(self, offset: int) -> Block:
        index = bisect_right(self.blocks, offset, key=lambda block: block.span.start) - 1
        return self.blocks[max(index, 0)]

    def _line_and_column(self, offset: int) -> tuple[int, int]:
        position = self.source.position(offset)
        return position.line - 1, position.column - 1

    def _margin(self, line: int, block: Block) -> int:
        """Return how many characters of the margin a line has: the one behind the block none, blank ones perhaps."""
        if line >= block.stop:
            return 0
        return min(len(block.margin), len(self.lines[line].rstrip("\r\n")))


def _with_margins(new: str, margin: str, begins_line: bool, margin_behind: str | None) -> str:
    """Return ``new`` with the margin in front of each line that begins in it.

    ``margin_behind`` is the one to give to what follows where that is a whole line, else ``None``.
    """
    parts = []
    for line in _LINE.findall(new):
        parts += [(margin if line.strip("\r\n") else margin.rstrip()) if begins_line else "", line]
        begins_line = line.endswith(("\r", "\n"))
    if begins_line:
        parts.append(margin if margin_behind is None else margin_behind)
    return "".join(parts)


def read_markdown(raw: bytes, path: str) -> Markdown:
    """Return the Markdown that ``raw`` holds.

    Raises:
        SourceError: of kind ``encoding``, with the line of the first byte that is no UTF-8.
    """
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    body = raw[len(bom) :]
    try:
        lines = _LINE.findall(body.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        raise SourceError("encoding", f"byte 0x{body[error.start]:02x} is no valid utf-8", line) from error
    codes = [line[len(line.rstrip("\r\n")) :] for line in lines]
    found = list(_find_blocks(lines))
    for first, stop, margin in found:
        codes[first:stop] = [_without_margin(line, margin) for line in lines[first:stop]]
    starts = (0, *accumulate(map(len, codes)))
    blocks = tuple(Block(Span(starts[first], starts[stop]), first, stop, margin) for first, stop, margin in found)
    margins = tuple(Margin(block.span, block.margin) for block in blocks if block.margin)
    return Markdown(SourceText("".join(codes), path, margins=margins), raw, blocks, tuple(lines), bom)


def _without_margin(line: str, margin: str) -> str:
    body = line.rstrip("\r\n")
    return line[min(len(margin), len(body)) :]


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fence: how it is written, and behind how many characters of margin."""

    line: int
    mark: str
    is_python: bool
    quotes: int
    margin: int

    def content(self, line: str) -> str | None:
        """Return ``line`` without the marks of the quotation that the fence stands in; ``None`` where that is over."""
        match = re.match(rf"(?: {{0,3}}> ?){{{self.quotes}}}", line)
        return line[match.end() :] if match else None

    def is_closed_by(self, content: str) -> bool:
        """Return whether ``content`` is the closing fence: as many marks at least, and not indented like code."""
        body = content.strip(" \t\r\n")
        indentation = len(content) - len(content.lstrip(" \t"))
        is_mark = len(body) >= len(self.mark) and set(body) == {self.mark[0]}
        return is_mark and indentation <= self.margin + 3


def _find_blocks(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the first line of each Python block, the one behind its last, and its margin."""
    fence: _Fence | None = None
    in_comment = False
    for index, line in enumerate(lines):
        if fence is not None:
            content = fence.content(line)
            if content is not None and not fence.is_closed_by(content):
                continue
            yield from _block(lines, fence, index)
            is_over, fence = content is not None, None
            if is_over:
                continue
        if in_comment or _COMMENT.match(line):
            in_comment = "-->" not in line
        else:
            fence = _open_fence(line, index)
    if fence is not None:
        yield from _block(lines, fence, len(lines))


def _open_fence(line: str, index: int) -> _Fence | None:
    match = _FENCE.fullmatch(line.rstrip("\r\n"))
    if match is None:
        return None
    is_python = _PYTHON.match(match["info"]) is not None
    return _Fence(index, match["fence"], is_python, match["quote"].count(">"), match.start("fence"))


def _block(lines: Sequence[str], fence: _Fence, stop: int) -> Iterator[tuple[int, int, str]]:
    first = fence.line + 1
    blank = " \t\r\n>" if fence.quotes else " \t\r\n"
    margins = [
        line[: len(line) - len(line.lstrip(blank))][: fence.margin] for line in lines[first:stop] if line.strip(blank)
    ]
    if fence.is_python and margins:
        yield first, stop, commonprefix(margins)  # noqa: RUF071 - character by character is what is meant
