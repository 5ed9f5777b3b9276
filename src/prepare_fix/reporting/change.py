"""A change to look at: the lines around each place, as in a diff, with the place in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prepare_fix.hunks import Hunk, Row
from prepare_fix.reporting.excerpt import fold, pieces_of, text_of
from prepare_fix.reporting.screen import Screen

_COLOURS = {"-": "red", "+": "green"}
_FOLDED = 4
_MIN_CODE = 24


def format_change(hunks: Iterable[Hunk], screen: Screen) -> str:
    """Return ``hunks`` as text; what is old and new is told by the mark that a line begins with.

    A line that is too long for ``screen`` goes on below, further to the right and without a mark.
    """
    lines = []
    for hunk in hunks:
        lines.append(screen.paint(f"@@ {hunk} @@", "cyan"))
        lines += [screen.paint(line, _COLOURS.get(row.mark)) for row in hunk.rows for line in _lines(row, screen)]
    return "".join(f"{line}\n" for line in lines)


def _lines(row: Row, screen: Screen) -> Iterator[str]:
    code = row.text.rstrip("\r\n")
    pieces = pieces_of(code)
    indentation = text_of(pieces[: len(code) - len(code.lstrip())])
    indent = min(len(indentation), screen.width // 2) + _FOLDED
    first, *others = fold(pieces, max(screen.width - 1, _MIN_CODE), indent)
    yield row.mark + text_of(first)
    yield from (f"{'':{1 + indent}}{text_of(line)}" for line in others)
