"""Where the JSON of a notebook holds its code. Offsets are in characters of the JSON text, which is valid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from prepare_fix.sources.text import Span

_SPACE = re.compile(r"[ \t\r\n]*")
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


def scan_notebook(text: str) -> list[tuple[int, CodeSource]]:
    """Return where the code of each code cell stands, with the number of the cell."""
    cells: list[tuple[int, CodeSource]] = []
    for key, start in _scan_object(text, _skip_space(text, 0)):
        if key == "cells":
            cells = [
                (number, source)
                for number, (place, _) in enumerate(_scan_array(text, start), 1)
                if (source := _scan_cell(text, place)) is not None
            ]
    return cells


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
    if text[start] not in '["':
        raise json.JSONDecodeError("the source of a cell is no text", text, start)
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
    _expect(text, start, "{")
    place = _skip_space(text, start + 1)
    while text[place : place + 1] != "}":
        key, place = _decode(text, place)
        place = _skip_space(text, _skip_space(text, place) + 1)
        yield key, place
        place = _skip_comma(text, _decode(text, place)[1])


def _scan_array(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield where each item of the array at ``start`` begins and ends."""
    _expect(text, start, "[")
    place = _skip_space(text, start + 1)
    while text[place : place + 1] != "]":
        end = _decode(text, place)[1]
        yield place, end
        place = _skip_comma(text, end)


def _expect(text: str, start: int, bracket: str) -> None:
    if text[start : start + 1] != bracket:
        raise json.JSONDecodeError(f"expected {bracket}", text, start)


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _skip_comma(text: str, start: int) -> int:
    place = _skip_space(text, start)
    return _skip_space(text, place + 1) if text[place : place + 1] == "," else place
