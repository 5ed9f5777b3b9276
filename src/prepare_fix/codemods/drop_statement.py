"""Take out a statement."""

from __future__ import annotations

from prepare_fix.codemods.blocks import line_end, line_start, locate
from prepare_fix.codemods.lines import own_lines, remove_lines
from prepare_fix.edits import Edit
from prepare_fix.repairs import DropStatement
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: DropStatement) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statement shares a line with the end of another that goes over several lines.
    """
    return (drop(source, repair.statement),)


def drop(source: SourceText, statement: Span) -> Edit:
    """Return the edit that takes out ``statement``, or puts ``pass`` in its place where it is alone in its block.

    Raises:
        CannotRewriteError: as for :func:`render`.
    """
    standing = locate(source, statement)
    if standing.is_alone:
        return _pass_instead(source, statement)
    if standing.following and standing.following.start < line_end(source, statement.end):
        span = Span(statement.start, standing.following.start)
    elif standing.previous and standing.previous.end > line_start(source, statement.start):
        span = Span(standing.previous.end, statement.end)
    else:
        return remove_lines(source, statement, for_good=True)
    return Edit(span, source.slice(span), "")


def _pass_instead(source: SourceText, statement: Span) -> Edit:
    start = line_start(source, statement.start)
    if source.text[start : statement.start].strip():
        return Edit(statement, source.slice(statement), "pass")
    lines = own_lines(source, statement)
    old = source.slice(lines).rstrip("\r\n")
    return Edit(Span(lines.start, lines.start + len(old)), old, source.indentation(statement.start) + "pass")
