"""Put a statement under a condition."""

from __future__ import annotations

from prepare_fix.codemods.lines import indent_under
from prepare_fix.edits import Edit
from prepare_fix.repairs import GuardStatement
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: GuardStatement) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statement shares a line with another.
    """
    return indent_under(source, (repair.statement,), f"if {repair.test}:")
