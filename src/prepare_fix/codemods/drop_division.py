"""Leave what a division divides."""

from __future__ import annotations

import re

import libcst as cst

from prepare_fix.codemods.blocks import line_start
from prepare_fix.codemods.tree import needs_parentheses, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropDivision
from prepare_fix.sources.text import SourceText, Span

# Where a whole value stands, so that it needs no parentheses: behind an assignment or a bracket, up to a line end or
# a bracket.
_VALUE_BEGINS = re.compile(r"(?:(?<![=!<>:+\-*/%&|^@])=|[(\[,]|\breturn)[ \t]*\Z")
_VALUE_ENDS = re.compile(r"[ \t]*(?:[)\],#\r\n]|\Z)")


def render(source: SourceText, repair: DropDivision) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: no division stands there, or a comment within would be lost.
    """
    span = repair.expression
    tree = parse_expression(source, span)
    division = tree.find(span, cst.BinaryOperation)
    if not isinstance(division.operator, cst.Divide):
        raise CannotRewriteError("the expression is no division")
    left = division.left
    whole = Span(span.start, span.start + len(tree.code(left)))
    if parse_expression(source, whole).comments != tree.comments:
        raise CannotRewriteError("a comment stands within the division")
    kept = tree.span(left) if _needs_none(source, span, left, source.slice(whole)) else whole
    removed = (Span(span.start, kept.start), Span(kept.end, span.end))
    return tuple(Edit(part, source.slice(part), "") for part in removed if part.start < part.end)


def _needs_none(source: SourceText, span: Span, left: cst.BaseExpression, code: str) -> bool:
    """Return whether ``left`` can do without its parentheses at the place of the division."""
    if len(left.lpar) != 1 or needs_parentheses(left) or "\n" in code or "\r" in code:
        return False
    line = source.text[line_start(source, span.start) : span.start]
    return bool(_VALUE_BEGINS.search(line) and _VALUE_ENDS.match(source.text, span.end))
