"""A change to look at: the lines around each place, as in a diff, with the place in words."""

from __future__ import annotations

from collections.abc import Iterable

import click

from prepare_fix.hunks import Hunk
from prepare_fix.reporting.screen import printable

_COLOURS = {"-": "red", "+": "green"}


def format_change(hunks: Iterable[Hunk], colour: bool) -> str:
    """Return ``hunks`` as text; what is old and new is told by the mark that a line begins with."""
    lines = []
    for hunk in hunks:
        lines.append(_paint(f"@@ {hunk} @@", "cyan", colour))
        for row in hunk.rows:
            line = row.mark + "\t".join(map(printable, row.text.rstrip("\r\n").split("\t")))
            lines.append(_paint(line, _COLOURS.get(row.mark), colour))
    return "".join(f"{line}\n" for line in lines)


def _paint(line: str, name: str | None, colour: bool) -> str:
    return click.style(line, fg=name) if colour and name is not None else line
