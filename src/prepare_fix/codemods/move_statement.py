"""Move a statement, simple or compound, behind another one."""

from __future__ import annotations

from prepare_fix.codemods.lines import move_lines
from prepare_fix.edits import Edit
from prepare_fix.repairs import MoveStatement
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: MoveStatement) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: one of the statements shares a line, or the block would be left empty.
    """
    place = repair.statement
    changes = (Edit(place, source.slice(place), repair.instead),) if repair.instead else ()
    return move_lines(source, place, repair.behind, changes)
