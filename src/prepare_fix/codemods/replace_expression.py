"""Put another expression in the place of one."""

from __future__ import annotations

from prepare_fix.codemods.tree import check_boundaries, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import ReplaceExpression
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: ReplaceExpression) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: no expression stands there, or a comment within would be lost.
    """
    check_boundaries(source, repair.expression)
    if parse_expression(source, repair.expression).comments:
        raise CannotRewriteError("a comment stands within the expression")
    return (Edit(repair.expression, source.slice(repair.expression), repair.code),)
