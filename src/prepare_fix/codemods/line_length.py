"""How wide the lines of a file may be."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from prepare_fix.codemods.blocks import parse
from prepare_fix.sources.text import SourceText

_TAB_WIDTH = 4
_NARROWEST, _WIDEST = 88, 120
# Brackets broken as formatters do it where a line would be too long: all that they hold on one line of its own.
_BROKEN = re.compile(
    r"(?:\A|(?<=[\r\n]))(?P<indent>[ \t]*)(?P<head>[^#\r\n]*[(\[{])(?:\r\n|\r|\n)"
    r"[ \t]+(?P<row>[^#\r\n]*[^#,\s])(?:\r\n|\r|\n)"
    r"(?P=indent)(?P<tail>[)\]}][^#\r\n]*)"
)


def width(line: str) -> int:
    """Return how many columns ``line`` takes."""
    return len(line.expandtabs(_TAB_WIDTH))


@lru_cache(maxsize=4)
def line_limit(text: str) -> int:
    """Return how wide a line of code may be in the file ``text``.

    That is 120 columns, as long as the file does not show that it is kept narrower: by brackets that were broken
    though a line of 120 would have held them. Then it is the widest line there is, and 88 at least.
    """
    broken = ("{indent}{head}{row}{tail}".format(**found.groupdict()) for found in _BROKEN.finditer(text))
    if all(width(line) > _WIDEST for line in broken):
        return _WIDEST
    return max(_NARROWEST, min(_WIDEST, _widest_code(SourceText(text))))


def _widest_code(source: SourceText) -> int:
    """Return the width of the widest line, without comments and strings that nobody could have broken."""
    left_out: set[int] = set()
    for node in ast.walk(parse(source.text)):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            last = node.end_lineno or node.lineno
            if last > node.lineno or (node.end_col_offset or 0) > _NARROWEST:
                left_out.update(range(node.lineno, last + 1))
    lines = (source.line(number) for number in range(1, len(source.line_starts) + 1) if number not in left_out)
    code = (re.sub(r"\s*#[^'\"]*$", "", line) for line in lines if not line.lstrip().startswith("#"))
    return max(map(width, code), default=0)
