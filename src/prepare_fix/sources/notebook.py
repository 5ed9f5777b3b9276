"""A Jupyter notebook: its code cells as one module text, and edits of that text back in the JSON.

The JSON is never written anew. A scanner finds the strings that hold the code, and an edit replaces characters
within them, so that whatever it does not touch keeps its bytes: indentation, order of keys, escapes, outputs.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prepare_fix.errors import SourceError
from prepare_fix.sources.magics import mask_cell
from prepare_fix.sources.text import Cell, SourceText, Span

_SPACE = re.compile(r"[ \t\r\n]*")
# One character of the text that a JSON string holds: a surrogate pair, another escape, or itself.
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)
_ESCAPED_NON_ASCII = re.compile(r"\\u(?!00[0-7])[0-9a-fA-F]{4}")
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class CodeSource:
    """Where the JSON holds the code of a cell.

    ``value`` is the span of the value of ``source``, quotes or brackets included, ``strings`` are those of each
    string in it, without its quotes.
    """

    value: Span
    strings: tuple[Span, ...]
    is_list: bool


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

    def replaced(self, changes: Sequence[tuple[Span, str]]) -> Notebook:
        """Return the notebook with a new string at each span; the spans are sorted and do not overlap.

        Raises:
            SourceError: of kind ``refused`` where a change reaches over cells or into IPython's own syntax.
        """
        by_cell: dict[int, list[tuple[Span, str]]] = {}
        for span, new in changes:
            if any(span.overlaps(masked) for masked in self.masked):
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
        index = next(i for i in reversed(range(len(cells))) if cells[i].span.start <= span.start)
        cell = cells[index].span
        if span.start == span.end == cell.start and index and new.endswith("\n") and index - 1 not in self.magic_cells:
            # Whole lines in front of a cell stand as well at the end of the one before, where what they follow is.
            end = cells[index - 1].span.end
            return index - 1, Span(end, end), "\n" + new[:-1]
        if span.start == cell.start and span.end == cell.start and index in self.magic_cells:
            raise SourceError("refused", "the repair would put a line in front of a cell magic")
        if span.end == cell.end + 1 and (new.endswith("\n") or not new):
            if new:
                return index, Span(span.start, cell.end), new[:-1]
            # A last line goes together with the line end in front of it.
            return index, Span(max(span.start - 1, cell.start), cell.end), ""
        if span.end > cell.end:
            raise SourceError("refused", "the repair would reach over the border of a cell")
        return index, span, new


def read_notebook(raw: bytes, path: str) -> Notebook:
    """Return the notebook that ``raw`` holds; one for another language than Python has an empty text.

    Raises:
        SourceError: ``raw`` is no notebook of format 4.
    """
    text, _ = _decode_json(raw)
    try:
        cells, others = _scan_notebook(text)
    except json.JSONDecodeError as error:
        raise SourceError("syntax", f"no valid JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise SourceError("syntax", "nested too deeply to be read") from error
    if others.get("nbformat") != 4:
        raise SourceError("syntax", "no notebook of format 4: jupyter nbconvert --to notebook brings older ones up")
    if not _is_python(others.get("metadata")):
        return Notebook(SourceText("", path), raw)
    return _build_notebook(text, raw, path, cells)


def _build_notebook(text: str, raw: bytes, path: str, found: list[tuple[int, CodeSource]]) -> Notebook:
    codes: list[str] = []
    cells: list[Cell] = []
    masked: list[Span] = []
    magic_cells: list[int] = []
    start = 0
    for number, source in found:
        code = "".join(json.loads(f'"{text[span.start : span.end]}"') for span in source.strings)
        mask = mask_cell(code)
        masked += [Span(start + span.start, start + span.end) for span in mask.spans]
        magic_cells += [len(cells)] if mask.is_cell_magic else []
        codes.append(mask.code)
        cells.append(Cell(number, Span(start, start + len(code))))
        start += len(code) + 1
    module = SourceText("\n".join(codes), path, tuple(cells))
    return Notebook(module, raw, tuple(source for _, source in found), tuple(masked), frozenset(magic_cells))


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


# The scanner. Offsets are in characters of the JSON text.


def _scan_notebook(text: str) -> tuple[list[tuple[int, CodeSource]], dict[str, object]]:
    """Return the code cells, each with its number, and the values beside the cells, by key."""
    cells: list[tuple[int, CodeSource]] = []
    others: dict[str, object] = {}
    for key, start in _scan_object(text, _skip_space(text, 0)):
        if key == "cells":
            cells = [
                (number, source)
                for number, (place, _) in enumerate(_scan_array(text, start), 1)
                if (source := _scan_cell(text, place)) is not None
            ]
        else:
            others[key] = _decode(text, start)[0]
    return cells, others


def _scan_cell(text: str, start: int) -> CodeSource | None:
    kind: object = None
    source: CodeSource | None = None
    for key, place in _scan_object(text, start):
        if key == "cell_type":
            kind = _decode(text, place)[0]
        elif key == "source":
            source = _scan_source(text, place)
    return source if kind == "code" else None


def _scan_source(text: str, start: int) -> CodeSource:
    end = _decode(text, start)[1]
    if text[start] == '"':
        return CodeSource(Span(start, end), (Span(start + 1, end - 1),), False)
    strings = []
    for place, stop in _scan_array(text, start):
        if text[place] != '"':
            raise json.JSONDecodeError("a line of code is no string", text, place)
        strings.append(Span(place + 1, stop - 1))
    return CodeSource(Span(start, end), tuple(strings), True)


def _scan_object(text: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield each key of the object at ``start`` with the offset of its value."""
    _decode_open(text, start, "{")
    place = _skip_space(text, start + 1)
    while text[place : place + 1] != "}":
        key, place = _decode(text, place)
        place = _skip_space(text, _skip_space(text, place) + 1)
        yield key, place
        place = _skip_comma(text, _decode(text, place)[1])


def _scan_array(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where each item of the array at ``start`` begins and ends."""
    _decode_open(text, start, "[")
    place = _skip_space(text, start + 1)
    while text[place : place + 1] != "]":
        end = _decode(text, place)[1]
        yield place, end
        place = _skip_comma(text, end)


def _decode_open(text: str, start: int, bracket: str) -> None:
    """Check that a whole JSON value that opens with ``bracket`` stands at ``start``."""
    if text[start : start + 1] != bracket:
        raise json.JSONDecodeError(f"expected {bracket}", text, start)


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _skip_comma(text: str, start: int) -> int:
    place = _skip_space(text, start)
    return _skip_space(text, place + 1) if text[place : place + 1] == "," else place


# Rewriting. Offsets of ``changes`` are in characters of the cell's code.


def _rewrite(text: str, source: CodeSource, changes: Sequence[tuple[Span, str]], ascii_only: bool) -> str:
    """Return the JSON ``text`` with ``changes``, sorted, made in the strings of one cell."""
    units = [unit for span in source.strings for unit in _units(text, span)]
    for span, new in reversed(changes):
        units[span.start : span.end] = _UNIT.findall(json.dumps(new, ensure_ascii=ascii_only)[1:-1])
    if not source.is_list:
        value = '"' + "".join(units) + '"'
        return text[: source.value.start] + value + text[source.value.end :]
    return _rewrite_list(text, source, _lines(units))


def _units(text: str, span: Span) -> list[str]:
    return _UNIT.findall(text, span.start, span.end)


def _lines(units: list[str]) -> list[str]:
    """Cut behind each line end, as Jupyter does when it writes a cell."""
    lines: list[str] = []
    line: list[str] = []
    for unit in units:
        line.append(unit)
        if unit in ("\\n", "\\u000a", "\\u000A"):
            lines.append("".join(line))
            line = []
    return [*lines, "".join(line)] if line else lines


def _rewrite_list(text: str, source: CodeSource, lines: list[str]) -> str:
    """Put ``lines`` into the list of one cell; strings at both ends that stay the same keep their bytes."""
    strings = source.strings
    if not strings:
        value = "[" + ", ".join(f'"{line}"' for line in lines) + "]"
        return text[: source.value.start] + value + text[source.value.end :]
    old = [text[span.start : span.end] for span in strings]
    head = _common(old, lines)
    tail = min(_common(old[::-1], lines[::-1]), len(old) - head, len(lines) - head)
    separator = "," + text[source.value.start + 1 : strings[0].start - 1]
    new = lines[head : len(lines) - tail]
    if head == len(old) - tail or not new:
        return _splice_strings(text, source, head, len(old) - tail, new, separator)
    first, last = strings[head], strings[len(old) - tail - 1]
    return text[: first.start] + f'"{separator}"'.join(new) + text[last.end :]


def _splice_strings(text: str, source: CodeSource, head: int, stop: int, new: list[str], separator: str) -> str:
    """Put ``new`` strings between those at ``head - 1`` and ``head``, or drop the strings from ``head`` to ``stop``."""
    strings = source.strings
    if new:
        if head == len(strings):
            end = strings[-1].end + 1
            return text[:end] + "".join(f'{separator}"{line}"' for line in new) + text[end:]
        begin = strings[head].start - 1
        return text[:begin] + "".join(f'"{line}"{separator}' for line in new) + text[begin:]
    if stop < len(strings):
        return text[: strings[head].start - 1] + text[strings[stop].start - 1 :]
    if head:
        return text[: strings[head - 1].end + 1] + text[strings[-1].end + 1 :]
    return text[: source.value.start] + "[]" + text[source.value.end :]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items the two sequences begin with in common."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
