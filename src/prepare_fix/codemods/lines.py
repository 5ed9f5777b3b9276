"""Whole lines: taking a statement out with its comments, putting it in elsewhere, indenting it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from prepare_fix.codemods.blocks import Standing, indent_unit, line_end, line_start, locate
from prepare_fix.codemods.slices import edited
from prepare_fix.codemods.tree import parse_lines
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText, Span

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_REST_OF_LINE = re.compile(r"[ \t\f]*;?[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")
# Comments that belong to the file, or to a cell of a script that an editor divides into cells.
_FILE_COMMENT = re.compile(r"#!|#.*coding[:=]|#\s*%%|#\s*In\[|#\s*<(?:code|mark)", re.IGNORECASE)
_BLANK = " \t\f\r\n"
# Template strings came to LibCST later than the oldest release that is supported.
_STRINGS = tuple(
    getattr(cst, name) for name in ("SimpleString", "FormattedString", "TemplatedString") if hasattr(cst, name)
)


def own_lines(source: SourceText, first: Span, last: Span | None = None) -> Span:
    """Return the whole lines from one statement to another, with the comments right above that belong to the first.

    Raises:
        CannotRewriteError: they share a line with another statement.
    """
    standing = locate(source, first)
    lines = full_lines(source, Span(standing.span.start, (last or first).end))
    start, end = lines.start, lines.end
    floor = standing.previous.end if standing.previous else 0
    indentation = source.indentation(first.start)
    while start > 0:
        above = line_start(source, start - 1)
        line = source.text[above:start]
        if above < floor or not line.startswith(indentation + "#") or _FILE_COMMENT.match(line.lstrip()):
            break
        start = above
    return Span(start, end)


def full_lines(source: SourceText, span: Span) -> Span:
    """Return the whole lines of the statements at ``span``.

    Raises:
        CannotRewriteError: they share a line with another statement.
    """
    start, end = line_start(source, span.start), line_end(source, span.end)
    if source.text[start : span.start].strip(_BLANK) or not _REST_OF_LINE.fullmatch(source.text, span.end, end):
        raise CannotRewriteError("the statement shares its line with another one")
    return Span(start, end)


def remove_lines(source: SourceText, statement: Span, *, for_good: bool = False) -> Edit:
    """Return the edit that takes out the lines of ``statement``, and blank lines that are too many then.

    The comments right above go too; but where they would be lost (``for_good``), not those that head further lines.

    Raises:
        CannotRewriteError: it shares a line with another statement, or is alone in its block.
    """
    standing = locate(source, statement)
    if standing.is_alone:
        raise CannotRewriteError("the statement is the only one of its block")
    keeps_comments = for_good and _is_followed_at_once(source, standing)
    lines = full_lines(source, standing.span) if keeps_comments else own_lines(source, statement)
    span = _with_blank_lines(source, lines, standing)
    return Edit(span, source.slice(span), "")


def insert_behind(source: SourceText, behind: Span, text: str) -> Edit:
    """Return the edit that puts ``text`` (lines without a last line end) on the lines behind a statement.

    Raises:
        CannotRewriteError: the statement at ``behind`` shares a line with another.
    """
    end = _skip_inner_comments(source, behind, full_lines(source, behind).end)
    # In front of the line end, not behind it: there may begin an edit of the next statement.
    start = line_start(source, end - 1)
    end = start + len(_without_line_end(source.text[start:end]))
    return Edit(Span(end, end), "", source.newline + text)


def move_lines(source: SourceText, statement: Span, behind: Span, changes: Iterable[Edit] = ()) -> tuple[Edit, ...]:
    """Return the edits that move ``statement``, with its comments and with ``changes`` made, behind another.

    Raises:
        CannotRewriteError: one of the two shares a line, lies in the other, or ``statement`` is alone in its block.
    """
    if statement.overlaps(behind):
        raise CannotRewriteError("a statement can't be moved behind a part of itself")
    if locate(source, statement).previous == locate(source, behind).span:
        return tuple(changes)
    removal = remove_lines(source, statement)
    lines = own_lines(source, statement)
    text = _without_line_end(edited(source, lines, changes))
    text = reindent(text, source.indentation(statement.start), source.indentation(behind.start))
    return (removal, insert_behind(source, behind, text))


def reindent(text: str, old: str, new: str) -> str:
    """Return lines with the indentation ``new`` for ``old``; what lies in strings over several lines stays."""
    if old == new:
        return text
    parts = []
    for _, line, is_code in _code_lines(text):
        parts.append(new + line[len(old) :] if is_code and line.startswith(old) else line)
    return "".join(parts)


def indent_under(source: SourceText, statements: Sequence[Span], header: str) -> tuple[Edit, ...]:
    """Return the edits that put a run of statements under ``header`` (such as ``if test:``).

    Raises:
        CannotRewriteError: the statements are no run of one block, or share a line with others.
    """
    run = [locate(source, statement).span for statement in statements]
    standing = locate(source, statements[0])
    if list(standing.siblings[standing.index :][: len(run)]) != run:
        raise CannotRewriteError("the statements do not stand one behind the other in one block")
    span = own_lines(source, statements[0], statements[-1])
    unit, base = indent_unit(source, statements[0]), source.indentation(statements[0].start)
    insertions: list[tuple[int, str]] = [
        (span.start + start, unit) for start, _, is_code in _code_lines(source.slice(span)) if is_code
    ]
    insertions[0] = (span.start, f"{base}{header}{source.newline}{unit}")
    return tuple(Edit(Span(offset, offset), "", new) for offset, new in insertions)


def _without_line_end(text: str) -> str:
    return re.sub(r"(?:\r\n|\r|\n)\Z", "", text)


def _code_lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Yield offset and text of each line, and whether it may be indented: not blank, not begun within a string."""
    tree = parse_lines(text)
    strings = [tree.span(node) for kind in _STRINGS for node in tree.nodes(kind)]
    for found in _LINE.finditer(text):
        start, line = found.start(), found.group()
        inside = any(span.start < start < span.end for span in strings)
        yield start, line, bool(line.strip(_BLANK)) and not inside


def _skip_inner_comments(source: SourceText, behind: Span, end: int) -> int:
    """Return the end of the comments behind a compound statement that are indented as its block is."""
    outer = source.indentation(behind.start)
    position = end
    while position < len(source.text):
        following = line_end(source, position)
        line = source.text[position:following]
        if line.strip(_BLANK):
            indentation = source.indentation(position)
            if not line.lstrip().startswith("#") or len(indentation) <= len(outer):
                break
            end = following
        position = following
    return end


def _with_blank_lines(source: SourceText, lines: Span, standing: Standing) -> Span:
    """Return ``lines`` with as many blank lines as leave no more than the larger of the two gaps around it."""
    start, end = lines.start, lines.end
    above = _blank_lines_above(source, start)
    below = _blank_lines_below(source, end)
    if standing.following is None and not below:
        start = above[-1] if above else start
    else:
        opens_block = standing.index == 0 and not above
        surplus = len(below) if opens_block else min(len(above), len(below))
        end = below[surplus - 1] if surplus else end
    if end == len(source.text) and source.text[-1:] not in ("\n", "\r"):
        start = len(source.text[:start].rstrip("\r\n"))
    return Span(start, end)


def _is_followed_at_once(source: SourceText, standing: Standing) -> bool:
    """Return whether a statement stands on the next line, so that a comment above may speak of that one as well."""
    following = standing.following
    return following is not None and line_start(source, following.start) == line_end(source, standing.span.end)


def _blank_lines_above(source: SourceText, start: int) -> list[int]:
    """Return where the blank lines above ``start`` begin, the nearest first."""
    starts = []
    while start > 0:
        start = line_start(source, start - 1)
        if source.text[start : line_end(source, start)].strip(_BLANK):
            break
        starts.append(start)
    return starts


def _blank_lines_below(source: SourceText, end: int) -> list[int]:
    """Return where the blank lines from ``end`` on end, the nearest first."""
    ends = []
    while end < len(source.text):
        following = line_end(source, end)
        if source.text[end:following].strip(_BLANK):
            break
        ends.append(following)
        end = following
    return ends
