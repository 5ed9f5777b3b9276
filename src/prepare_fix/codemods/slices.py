"""Edits within a slice of the file: kept small, and made on the slice alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prepare_fix.edits import Edit, apply_edits
from prepare_fix.sources.text import SourceText, Span

_TOKEN = re.compile(r"\w+|\r\n|.", re.DOTALL)


def edited(source: SourceText, span: Span, edits: Iterable[Edit]) -> str:
    """Return the text at ``span`` with ``edits`` made, all of which lie within."""
    return apply_edits(
        source.slice(span),
        [Edit(Span(e.span.start - span.start, e.span.end - span.start), e.old, e.new) for e in edits],
    )


def shrink(edit: Edit) -> Edit:
    """Return ``edit`` without the words and marks that it leaves alone at its start and its end."""
    old, new = _TOKEN.findall(edit.old), _TOKEN.findall(edit.new)
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    most -= head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i]), most)
    start = edit.span.start + len("".join(old[:head]))
    kept = "".join(old[head : len(old) - tail])
    return Edit(Span(start, start + len(kept)), kept, "".join(new[head : len(new) - tail]))
