"""A Jupyter notebook: its code cells as one module text, and edits of that text back in the JSON.

The JSON is never written anew. A scanner finds the strings that hold the code, and an edit replaces characters
within them, so that whatever it does not touch keeps its bytes: indentation, order of keys, escapes, outputs.
"""

from __future__ import annotations

import codecs
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from prepare_fix.errors import SourceError
from prepare_fix.sources.magics import mask_cell
from prepare_fix.sources.notebook_scanner import CodeSource, scan_notebook
from prepare_fix.sources.text import Cell, Part, SourceText, Span

# One character of the text that a JSON string holds: a surrogate pair, another escape, or itself.
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_ESCAPED_NON_ASCII = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_LINE_ENDS = ("\\n", "\\u000a", "\\u000A")


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook as bytes, and the code of its cells as the text of one module, joined by line ends.

    ``masked`` are the spans of that text where IPython's own syntax was put out of the parser's way. ``sources``
    has an entry for each cell of ``source.cells``, and ``magic_cells`` the indices of those under a cell magic.
    """

    source: SourceText
    raw: bytes
    sources: tuple[CodeSource, ...] = ()
    masked: tuple[Span, ...] = ()
    magic_cells: frozenset[int] = frozenset()

    @property
    def programs(self) -> tuple[SourceText, ...]:
        """The texts to look at, each a program of its own."""
        return (self.source,)

    @property
    def encoding(self) -> str:
        """That of all notebooks."""
        return "utf-8"

    @property
    def file_text(self) -> str:
        """The text of the file, which is JSON, less a byte order mark."""
        return _decode_json(self.raw)[0]

    def in_file(self, span: Span) -> Span:
        """Return where in ``file_text`` the code at ``span`` is; what stands between two lines there goes along."""
        text = self.file_text
        start = self._find_character(text, span.start)
        return Span(start.start, self._find_character(text, span.end - 1).end if span.end > span.start else start.start)

    def _find_character(self, text: str, offset: int) -> Span:
        """Return where in the JSON ``text`` a character of the code is, or the end of its cell."""
        index = bisect_right(self.source.cells, offset, key=lambda cell: cell.span.start) - 1
        left = offset - self.source.cells[index].span.start
        end = self.sources[index].value.end
        for string in self.sources[index].strings:
            for unit in _UNIT.finditer(text, string.start, string.end):
                if not left:
                    return Span(*unit.span())
                left -= 1
            end = string.end
        return Span(end, end)

    def changes_in_file(self, changes: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
        """Return what ``replaced`` changes in ``file_text``, one change a cell; ``changes`` are those given to it.

        Raises:
            SourceError: as ``replaced`` does.
        """
        after = self.replaced(changes)
        old, new = self.file_text, after.file_text
        pairs = zip(self.sources, after.sources, strict=True)
        return [
            _narrow(one.value, old[one.value.start : one.value.end], new[other.value.start : other.value.end])
            for one, other in pairs
            if old[one.value.start : one.value.end] != new[other.value.start : other.value.end]
        ]

    def changes_in_cells(self, changes: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
        """Return what ``replaced`` changes in the code; no change reaches over the border of a cell.

        Raises:
            SourceError: of kind ``refused`` where one would.
        """
        return [(span, new) for _, span, new in (self._within_a_cell(*change) for change in changes)]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The code as people read it, cell by cell: IPython's own syntax stands where it is masked elsewhere."""
        text, _ = _decode_json(self.raw)
        cells = zip(self.source.cells, self.sources, strict=True)
        return tuple(Part(cell.span.start, _read_code(text, source)) for cell, source in cells)

    def replaced(self, changes: Sequence[tuple[Span, str]]) -> Notebook:
        """Return the notebook with a new string at each span; the spans are sorted and do not overlap.

        Raises:
            SourceError: of kind ``refused`` where a change reaches over cells or into IPython's own syntax.
        """
        by_cell: dict[int, list[tuple[Span, str]]] = {}
        for span, new in changes:
            # A form feed may be copied from a mask.
            if any(span.overlaps(masked) for masked in self.masked) or (self.masked and "\f" in new):
                raise SourceError("refused", "the repair would change a line that is IPython's, not Python's")
            index, span, new = self._within_a_cell(span, new)
            by_cell.setdefault(index, []).append((span, new))
        text, bom = _decode_json(self.raw)
        ascii_only = text.isascii() and _ESCAPED_NON_ASCII.search(text) is not None
        for index in sorted(by_cell, reverse=True):
            start = self.source.cells[index].span.start
            local = [(Span(span.start - start, span.end - start), new) for span, new in by_cell[index]]
            text = _rewrite(text, self.sources[index], local, ascii_only)
        return read_notebook(bom + text.encode("utf-8"), self.source.path)

    def _within_a_cell(self, span: Span, new: str) -> tuple[int, Span, str]:
        """Return the cell that a change belongs to, and the change without the line end that only joins two cells."""
        cells = self.source.cells
        index = bisect_right(cells, span.start, key=lambda cell: cell.span.start) - 1
        cell = cells[index].span
        if span == Span(cell.start, cell.start):
            return self._in_front_of_cell(index, new)
        if span.end == cell.end + 1 and new.endswith("\n"):
            return index, Span(span.start, cell.end), new[:-1]
        if span.end == cell.end + 1 and not new and span.start < cell.end:
            # A last line goes together with the line end in front of it.
            before = self.source.text[cell.start : span.start]
            line_end = len(before) - len(before.removesuffix("\n").removesuffix("\r"))
            return index, Span(span.start - line_end, cell.end), ""
        if span.end > cell.end:
            raise SourceError("refused", "the repair would reach over the border of a cell")
        return index, span, new

    def _in_front_of_cell(self, index: int, new: str) -> tuple[int, Span, str]:
        """Return where lines go that stand between two cells: to the end of the first, where what they follow is."""
        cells = self.source.cells
        start = cells[index].span.start
        if new.endswith("\n") and index and not self._is_foreign(index - 1):
            end = cells[index - 1].span.end
            return index - 1, Span(end, end), "\n" + new[:-1]
        if index in self.magic_cells:
            raise SourceError("refused", "the repair would put a line in front of a cell magic")
        return index, Span(start, start), new

    def _is_foreign(self, index: int) -> bool:
        """Return whether a cell holds nothing to add Python to: another language, or no line at all."""
        span = self.source.cells[index].span
        return span.start == span.end or any(masked.contains(span) for masked in self.masked)


def read_notebook(raw: bytes, path: str) -> Notebook:
    """Return the notebook that ``raw`` holds; one for another language than Python has an empty text.

    Raises:
        SourceError: ``raw`` is no notebook of format 4.
    """
    text, _ = _decode_json(raw)
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or content.get("nbformat") != 4:
            raise SourceError("syntax", "no notebook of format 4 (jupyter nbconvert --to notebook brings it there)")
        if "cells" not in content:
            raise SourceError("syntax", "no valid notebook: it has no cells")
        cells = scan_notebook(text) if _is_python(content.get("metadata")) else []
    except json.JSONDecodeError as error:
        reason = error.msg.removesuffix(" starting at")
        raise SourceError("syntax", f"no valid notebook: {reason}", error.lineno) from error
    except ValueError as error:  # a number with more digits than Python reads
        raise SourceError("syntax", f"no valid notebook: {error}") from error
    except RecursionError as error:
        raise SourceError("syntax", "nested too deeply to be read") from error
    return _build_notebook(text, raw, path, cells)


def _build_notebook(text: str, raw: bytes, path: str, found: list[tuple[int, CodeSource]]) -> Notebook:
    codes: list[str] = []
    written: list[str] = []
    cells: list[Cell] = []
    masked: list[Span] = []
    magic_cells: list[int] = []
    start = 0
    for number, source in found:
        code = _read_code(text, source)
        mask = mask_cell(code)
        masked += [Span(start + span.start, start + span.end) for span in mask.spans]
        magic_cells += [len(cells)] if mask.is_cell_magic else []
        codes.append(mask.code)
        written.append(code)
        cells.append(Cell(number, Span(start, start + len(code))))
        start += len(code) + 1
    module = SourceText("\n".join(codes), path, tuple(cells), written="\n".join(written) if masked else None)
    return Notebook(module, raw, tuple(source for _, source in found), tuple(masked), frozenset(magic_cells))


def _narrow(span: Span, old: str, new: str) -> tuple[Span, str]:
    """Return the change of ``old``, which is at ``span``, into ``new`` without what both begin and end with."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    return Span(span.start + head, span.end - tail), new[head : len(new) - tail]


def _read_code(text: str, source: CodeSource) -> str:
    """Return the code of a cell of the JSON ``text``."""
    return "".join(json.loads(f'"{text[span.start : span.end]}"') for span in source.strings)


def _decode_json(raw: bytes) -> tuple[str, bytes]:
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    try:
        return raw[len(bom) :].decode("utf-8"), bom
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, len(bom) + error.start) + 1
        raise SourceError("encoding", f"byte 0x{raw[len(bom) + error.start]:02x} is no valid utf-8", line) from error


def _is_python(metadata: object) -> bool:
    """Return whether the kernel runs Python; a notebook that names no language is taken for one that does."""
    if not isinstance(metadata, dict):
        return True
    info, kernel = metadata.get("language_info"), metadata.get("kernelspec")
    language = (info.get("name") if isinstance(info, dict) else None) or (
        kernel.get("language") if isinstance(kernel, dict) else None
    )
    return language is None or str(language).lower() in ("python", "ipython")


# Rewriting. Offsets of ``changes`` are in characters of the cell's code, which is all strings joined.


def _rewrite(text: str, source: CodeSource, changes: Sequence[tuple[Span, str]], ascii_only: bool) -> str:
    """Return the JSON ``text`` with ``changes``, sorted, made in the strings of one cell."""
    old = [_UNIT.findall(text, span.start, span.end) for span in source.strings]
    ends = list(accumulate(len(units) for units in old))
    # The strings that the changes touch, and the one behind: it joins the last where that one's line end goes.
    first = min(bisect_right(ends, changes[0][0].start), len(old) - 1)
    last = min(bisect_right(ends, changes[-1][0].end), len(old) - 1)
    begin = ends[first - 1] if first > 0 else 0
    units = list(chain.from_iterable(old[max(first, 0) : last + 1]))
    for span, new in reversed(changes):
        escaped = json.dumps(new, ensure_ascii=ascii_only)[1:-1]
        units[span.start - begin : span.end - begin] = _UNIT.findall(escaped)
    stays_one = bool(old) and first == last and _holds_lines(old[first])
    if source.is_list and not stays_one:
        return _rewrite_list(text, source, first, last + 1, _lines(units))
    span = source.strings[first]
    return text[: span.start] + "".join(units) + text[span.end :]


def _holds_lines(units: Sequence[str]) -> bool:
    """Return whether a string is more than one line, which is not how Jupyter writes them: it stays one."""
    return any(unit in _LINE_ENDS for unit in units[:-1])


def _lines(units: Iterable[str]) -> list[str]:
    """Cut behind each line end, as Jupyter does when it writes a cell."""
    lines: list[str] = []
    line: list[str] = []
    for unit in units:
        line.append(unit)
        if unit in _LINE_ENDS:
            lines.append("".join(line))
            line = []
    return [*lines, "".join(line)] if line else lines


def _rewrite_list(text: str, source: CodeSource, first: int, stop: int, lines: list[str]) -> str:
    """Put ``lines`` in the place of the strings from ``first`` to ``stop``; those that stay the same keep theirs."""
    strings = source.strings
    if not strings:
        return text[: source.value.start + 1] + ", ".join(f'"{line}"' for line in lines) + text[source.value.end - 1 :]
    old = [text[span.start : span.end] for span in strings[first:stop]]
    head = _common(old, lines)
    tail = min(_common(old[::-1], lines[::-1]), min(len(old), len(lines)) - head)
    first, stop, lines = first + head, stop - tail, lines[head : len(lines) - tail]
    separator = "," + text[source.value.start + 1 : strings[0].start - 1]
    if lines and first < stop:
        return text[: strings[first].start] + f'"{separator}"'.join(lines) + text[strings[stop - 1].end :]
    if lines:
        return _insert_strings(text, strings, first, lines, separator)
    return _remove_strings(text, source, first, stop)


def _insert_strings(text: str, strings: Sequence[Span], place: int, lines: list[str], separator: str) -> str:
    """Put ``lines`` as strings in front of the one at index ``place``, or behind the last."""
    if place == len(strings):
        end = strings[-1].end + 1
        return text[:end] + "".join(f'{separator}"{line}"' for line in lines) + text[end:]
    begin = strings[place].start - 1
    return text[:begin] + "".join(f'"{line}"{separator}' for line in lines) + text[begin:]


def _remove_strings(text: str, source: CodeSource, first: int, stop: int) -> str:
    """Take out the strings from ``first`` to ``stop``, each with one comma."""
    strings = source.strings
    if stop < len(strings):
        return text[: strings[first].start - 1] + text[strings[stop].start - 1 :]
    if first:
        return text[: strings[first - 1].end + 1] + text[strings[-1].end + 1 :]
    return text[: source.value.start] + "[]" + text[source.value.end :]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items the two sequences begin with in common."""
    pairs = zip(one, other, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(one), len(other)))
