"""Edits of the original text: what a repair comes down to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prepare_fix.errors import EditConflictError
from prepare_fix.sources.text import Span, splice


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Put ``new`` in the place of ``old`` at ``span`` (offsets in characters of the original text)."""

    span: Span
    old: str
    new: str


def find_conflict(first: Iterable[Edit], second: Iterable[Edit]) -> bool:
    """Return whether an edit of ``first`` touches the same text as one of ``second``."""
    others = list(second)
    return any(one.span.overlaps(other.span) or one.span.start == other.span.start for one in first for other in others)


def find_origin(offset: int, edits: Iterable[Edit]) -> int:
    """Return where the character at ``offset`` of the new text stood before ``edits`` were made.

    A character that an edit brought is taken for the beginning of what it took the place of.
    """
    grown = 0
    for edit in sorted(edits):
        if offset < edit.span.start + grown + len(edit.new):
            return min(edit.span.start, offset - grown)
        grown += len(edit.new) - len(edit.old)
    return offset - grown


def combine_edits(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return edits that do at once what ``first`` do, and then ``second``, which were made for the text after those.

    Raises:
        EditConflictError: one of ``second`` touches what one of ``first`` wrote.
    """
    ordered = sorted(first)
    combined = list(ordered)
    for edit in second:
        grown = 0
        for done in ordered:
            start = done.span.start + grown
            if edit.span.end < start:
                break
            if edit.span.start <= start + len(done.new):
                raise EditConflictError(f"two edits overlap at offset {done.span.start}")
            grown += len(done.new) - len(done.old)
        combined.append(Edit(Span(edit.span.start - grown, edit.span.end - grown), edit.old, edit.new))
    return tuple(sorted(combined))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return ``text`` with all ``edits`` made.

    Raises:
        EditConflictError: two edits overlap, or the text at a span is not the ``old`` of its edit.
    """
    ordered = sorted(edits)
    check_edits(text, ordered)
    return splice(text, ((edit.span, edit.new) for edit in ordered))


def check_edits(text: str, ordered: Iterable[Edit]) -> None:
    """Check that ``ordered``, edits sorted by span, can be made in ``text`` together.

    Raises:
        EditConflictError: two edits overlap, or the text at a span is not the ``old`` of its edit.
    """
    done = 0
    for edit in ordered:
        if edit.span.start < done:
            raise EditConflictError(f"two edits overlap at offset {edit.span.start}")
        if text[edit.span.start : edit.span.end] != edit.old:
            raise EditConflictError(f"the text at offset {edit.span.start} is not what the edit was made for")
        done = edit.span.end
