"""Use another place for an object."""

from __future__ import annotations

from prepare_fix.codemods.spelling import spell
from prepare_fix.codemods.tree import check_boundaries, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.repairs import RenameUses
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: RenameUses) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: what stands at one of the spans is no name, attribute or subscript.
    """
    place = spell(source, repair.place)
    return tuple(_rename(source, span, place) for span in repair.spans)


def _rename(source: SourceText, span: Span, place: str) -> Edit:
    check_boundaries(source, span)
    parse_expression(source, span).find_place(span)
    return Edit(span, source.slice(span), place)
