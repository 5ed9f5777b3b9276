"""The functions for programs: text in, plain values out, no file system."""

from __future__ import annotations

from dataclasses import dataclass

from prepare_fix.errors import SourceError
from prepare_fix.findings import FileResult, Finding
from prepare_fix.pipeline import check_document, fix_document
from prepare_fix.settings import Settings
from prepare_fix.sources.document import document_from_text


@dataclass(frozen=True, slots=True)
class FixResult:
    """The text with the fixes made, the findings that they mend, and those that are left.

    Spans of ``fixed`` are offsets in the text as it came, those of ``remaining`` in ``text``; for a notebook, both
    are offsets in the code of its cells, joined by line ends.
    """

    text: str
    fixed: tuple[Finding, ...] = ()
    remaining: tuple[Finding, ...] = ()


def check_source(source: str, *, path: str | None = None, settings: Settings | None = None) -> list[Finding]:
    """Return the findings in ``source``, by position, each with its fix or the reason for none.

    A ``path`` that ends in ``.ipynb`` says that ``source`` is the JSON of a notebook; spans are then offsets in the
    code of its cells, joined by line ends.

    Raises:
        SourceError: the source can't be parsed.
    """
    document = document_from_text(source, path or "<string>")
    return list(_checked(check_document(document, settings or Settings())).findings)


def fix_source(source: str, *, path: str | None = None, settings: Settings | None = None) -> FixResult:
    """Return ``source`` with the fixes made that ``settings`` allow. A second call with the result changes nothing.

    Raises:
        SourceError: the source can't be parsed.
    """
    document = document_from_text(source, path or "<string>")
    result = _checked(fix_document(document, settings or Settings()))
    text = source if result.after is None else result.after.decode("utf-8", "surrogatepass")
    return FixResult(text, result.fixed, result.findings)


def _checked(result: FileResult) -> FileResult:
    """Raise where a rule failed: a caller must not take what the others say for all there is."""
    if result.error is not None:
        raise SourceError(result.error.kind, result.error.message, result.error.line, result.error.cell)
    return result
