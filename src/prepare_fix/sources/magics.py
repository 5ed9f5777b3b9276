"""IPython's own syntax in a code cell, and how to keep it out of the way of Python's parser.

A masked piece is replaced by as many characters, so that every offset outside of it stays what it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from prepare_fix.sources.text import Span

# Cell magics that run the rest of the cell as Python in the notebook's own name space.
_PYTHON_CELL = re.compile(r"%%(time|capture|prun|memit|mprun)\b")
# Line magics that do so with the rest of the line; a compound statement can't follow a semicolon.
_PYTHON_LINE = re.compile(r"%(time|prun|memit)[ \t]+(?!-|(async|class|def|for|if|match|try|while|with)\b)(?=\S)")
_MAGIC = re.compile(r"[%!?,;/]|%?[\w.*%\[\]]+\?{1,2}\s*(#.*)?$")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.,\[\] \t*]*=[ \t]*(?=[%!])")
# How far the first line of a cell is indented. IPython takes as much from all lines that begin so.
_INDENTED = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*([ \t]+)(?=[^ \t\r\n])")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")
# What decides whether the next line begins a statement.
_TOKEN = re.compile(
    r"""(?P<comment>\#[^\r\n]*)|(?P<triple>\"{3}|'{3})|"(?:\\.|[^"\\\r\n])*"?|'(?:\\.|[^'\\\r\n])*'?"""
    r"""|(?P<open>[\[({])|(?P<close>[\])}])|(?P<continued>\\(?:\r\n|\r|\n))""",
    re.DOTALL,
)
_REST_OF_STRING = {quote: re.compile(rf"(?:\\.|(?!{quote}).)*(?P<end>{quote})?", re.DOTALL) for quote in ("'''", '"""')}


@dataclass(frozen=True, slots=True)
class Mask:
    """The code of a cell with IPython's syntax masked at ``spans``; ``is_cell_magic`` where it begins with ``%%``."""

    code: str
    spans: tuple[Span, ...] = ()
    is_cell_magic: bool = False


def mask_cell(code: str) -> Mask:
    """Return the code of one cell with all that only IPython understands masked."""
    mask = _mask_magics(code)
    indented = _INDENTED.match(code)
    return mask if indented is None or mask.spans[:1] == (Span(0, len(code)),) else _mask_indentation(mask, indented[1])


def _mask_indentation(mask: Mask, indentation: str) -> Mask:
    """Mask what all lines are indented by: behind a form feed, Python counts the columns anew."""
    lines = [match for match in _LINE.finditer(mask.code) if match.group().startswith(indentation)]
    ends = [match.start() + len(indentation) for match in lines]
    code = list(mask.code)
    for end in ends:
        code[end - 1] = "\f"
    spans = sorted([*mask.spans, *(Span(end - 1, end) for end in ends)], key=lambda span: span.start)
    return Mask("".join(code), tuple(spans), mask.is_cell_magic)


def _mask_magics(code: str) -> Mask:
    begin = len(code) - len(code.lstrip())
    if not code.startswith("%%", begin):
        return _mask_lines(code, 0)
    if not _PYTHON_CELL.match(code, begin):
        lines = "".join(_as_comment(line) for line in _LINE.findall(code))
        return Mask(lines, (Span(0, len(code)),), True)
    first = _LINE.match(code, begin)
    end = first.end() if first else len(code)
    masked = _mask_lines(code[:begin] + _as_comment(code[begin:end]) + code[end:], end)
    return Mask(masked.code, (Span(begin, begin + len(_body(code[begin:end]))), *masked.spans), True)


def _mask_lines(code: str, start: int) -> Mask:
    """Mask the lines of ``code`` from ``start`` on that can't begin a statement of Python but do begin one."""
    parts = [code[:start]]
    spans: list[Span] = []
    state = _StatementState()
    in_magic = False
    for match in _LINE.finditer(code, start):
        line = match.group()
        found = (0, len(_body(line)), "") if in_magic else _find_magic(line) if state.is_at_start else None
        if found is not None:
            begin, end, mask = found
            spans.append(Span(match.start() + begin, match.start() + end))
            # A line end behind a backslash carries on the magic, not the mask.
            in_magic = end == len(_body(line)) and line[begin:end].endswith("\\")
            line = line[:begin] + mask.ljust(end - begin) + line[end:]
        state.read(line)
        parts.append(line)
    return Mask("".join(parts), tuple(spans))


def _find_magic(line: str) -> tuple[int, int, str] | None:
    """Return where IPython's part of a line begins and ends, and what stands for it; ``None`` where all is Python."""
    body = _body(line)
    begin = len(body) - len(body.lstrip(" \t"))
    if python := _PYTHON_LINE.match(body, begin):
        return begin, python.end(), "0".ljust(python.end() - begin - 1) + ";"
    if _MAGIC.match(body, begin):
        # A statement, as it may be the only one of its block.
        return begin, len(body), "0"
    if assigned := _ASSIGNED.match(body, begin):
        return assigned.end(), len(body), "0"
    return None


def _as_comment(line: str) -> str:
    body = _body(line)
    return "#".ljust(len(body))[: len(body)] + line[len(body) :]


def _body(line: str) -> str:
    return line.rstrip("\r\n")


class _StatementState:
    """Follows strings, brackets and backslashes from line to line."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._continued = False

    @property
    def is_at_start(self) -> bool:
        """Whether the next line begins a statement."""
        return not (self._quote or self._depth or self._continued)

    def read(self, line: str) -> None:
        """Take in the next line, its end included."""
        place = self._read_string(line, 0) if self._quote else 0
        self._continued = False
        while match := _TOKEN.search(line, place):
            place = match.end()
            if match["triple"]:
                self._quote = match["triple"]
                place = self._read_string(line, place)
            elif match["open"]:
                self._depth += 1
            elif match["close"]:
                self._depth = max(self._depth - 1, 0)
            self._continued = match["continued"] is not None

    def _read_string(self, line: str, start: int) -> int:
        match = _REST_OF_STRING[self._quote].match(line, start)
        if match is None or match["end"] is None:
            return len(line)
        self._quote = ""
        return match.end()
