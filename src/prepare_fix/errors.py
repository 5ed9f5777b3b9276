"""The exceptions of this package. A bad file is a value (``FileError`` in ``findings``), not one of these."""

from __future__ import annotations


class PrepareFixError(Exception):
    """Base class of all exceptions raised on purpose."""


class EditConflictError(PrepareFixError):
    """Edits overlap, or do not fit the text that they are applied to."""


class CannotRewriteError(PrepareFixError):
    """A codemod can't make its repair in this source; the message is the reason, for a reader."""


class SettingsError(PrepareFixError):
    """The settings or options can't be used; the message names the key and the value."""


class SourceError(PrepareFixError):
    """A file can't be turned into text, or not be replaced.

    ``kind`` is ``io``, ``encoding``, ``syntax``, ``refused`` or ``internal``; ``line`` counts from 1, in a notebook
    within the cell with the number ``cell``.
    """

    def __init__(self, kind: str, message: str, line: int | None = None, cell: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.line = line
        self.cell = cell
