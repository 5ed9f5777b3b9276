"""Places and changes as other programs need them: in lines and columns of a file, or of the cells of a notebook."""

from __future__ import annotations

import os
from dataclasses import dataclass

from prepare_fix.findings import Fix
from prepare_fix.sources.document import read_document
from prepare_fix.sources.notebook import Notebook
from prepare_fix.sources.text import SourceText, Span


@dataclass(frozen=True, slots=True)
class Region:
    """Lines and columns count from 1, columns in characters; ``end_column`` is exclusive.

    ``cell`` is the position (from 1) of the cell in which lines are counted, ``None`` where that is the file.
    """

    cell: int | None
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put ``text`` in the place of what is at ``region``."""

    region: Region
    text: str


class PlacedFile:
    """One file with findings. Spans are those of its findings, which lie in the text that is traced."""

    def __init__(self, path: str, raw: bytes) -> None:
        self._document = read_document(raw, path)
        self._file = SourceText(self._document.file_text)

    @property
    def encoding(self) -> str:
        """How the text of the file is written."""
        return self._document.encoding

    def in_file(self, span: Span) -> Region:
        """Return the place of ``span`` in the file; of code in a notebook, that in its JSON."""
        return self._file_region(self._document.in_file(span))

    def changes_in_file(self, fix: Fix) -> list[Replacement]:
        """Return what ``fix`` does to the text of the file."""
        changes = self._document.changes_in_file(_changes(fix))
        return [Replacement(self._file_region(span), new) for span, new in changes]

    def in_cells(self, span: Span) -> Region:
        """Return the place of ``span`` by cell in a notebook, elsewhere in the file."""
        source = self._document.source
        if not source.cells:
            return self.in_file(span)
        cell = next(cell for cell in reversed(source.cells) if cell.span.start <= span.start)
        start, end = source.locate(span.start), source.locate(min(span.end, cell.span.end))
        return Region(cell.number, start.line, start.column, end.line, end.column)

    def changes_in_cells(self, fix: Fix) -> list[Replacement]:
        """Return what ``fix`` does, by cell in a notebook, elsewhere to the text of the file."""
        if not isinstance(self._document, Notebook):
            return self.changes_in_file(fix)
        changes = self._document.changes_in_cells(_changes(fix))
        return [Replacement(self.in_cells(span), new) for span, new in changes]

    def _file_region(self, span: Span) -> Region:
        start, end = self._file.position(span.start), self._file.position(span.end)
        return Region(None, start.line, start.column, end.line, end.column)


def _changes(fix: Fix) -> list[tuple[Span, str]]:
    return [(edit.span, edit.new) for edit in sorted(fix.edits)]


def portable_path(path: str) -> str:
    """Return ``path`` as text that every program reads: bytes that are no characters become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def slashed_path(path: str) -> str:
    """Return ``path`` as text that every program reads, with ``/`` between its parts."""
    return portable_path(path).replace(os.sep, "/")
