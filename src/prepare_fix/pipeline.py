"""The one place that calls the stages in order, for one file and for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from prepare_fix.candidates import is_candidate
from prepare_fix.errors import SourceError
from prepare_fix.findings import FileError, FileResult, Finding
from prepare_fix.passes import Passes, begin
from prepare_fix.selection import count_known, select_without_fixes
from prepare_fix.settings import Settings
from prepare_fix.sources.document import document_from_text, read_document
from prepare_fix.sources.files import read_file
from prepare_fix.verify import Examination, build_fixes, examine

if TYPE_CHECKING:
    from prepare_fix.sources.document import Document

    Work = Callable[[Document, Settings], FileResult]


def check_document(document: Document, settings: Settings) -> FileResult:
    """Return the findings in ``document``, each with its fix or the reason for none.

    Raises:
        SourceError: the text can't be parsed.
    """
    examination, found = find_in_document(document, settings)
    return replace(found, findings=build_fixes(examination, found.findings))


def find_in_document(document: Document, settings: Settings) -> tuple[Examination, FileResult]:
    """Return the findings in ``document`` without the fixes, which ``verify.build_fixes`` makes of the examination.

    Raises:
        SourceError: the text can't be parsed.
    """
    settings = settings.for_file(document.source.path)
    examination = examine(document)
    return examination, _result(examination, select_without_fixes(examination, settings), settings)


def bundle_document(document: Document, settings: Settings) -> FileResult:
    """Return what ``check_document`` does, with the fixes in bundles to choose from.

    Raises:
        SourceError: the text can't be parsed.
    """
    from prepare_fix.bundling import build_bundles

    examination, found = find_in_document(document, settings)
    findings = build_fixes(examination, found.findings)
    return replace(found, findings=findings, bundles=build_bundles(examination, findings))


def fix_document(document: Document, settings: Settings) -> FileResult:
    """Return what is left in ``document`` when all fixes that ``settings`` allow are made, and its new bytes.

    Raises:
        SourceError: the text can't be parsed.
    """
    passes = begin(document, settings)
    while passes.choice is not None:
        passes = passes.take()
    return result_of(passes)


def result_of(passes: Passes) -> FileResult:
    """Return what the passes over a document came to."""
    if passes.is_stuck:
        reason = f"after {passes.count} passes the fixes of this file still brought new ones"
        stuck = (replace(finding, fix=None, why_no_fix=reason) if finding.fix else finding for finding in passes.first)
        return _result(examine(passes.original), tuple(stuck), passes.settings)
    result = _result(passes.examination, passes.findings, passes.settings)
    before, document = passes.original.raw, passes.examination.document
    if document.raw == before:
        return result
    remaining = Counter(finding.fingerprint for finding in passes.findings)
    fixed = []
    for finding in passes.first:
        if remaining[finding.fingerprint]:
            remaining[finding.fingerprint] -= 1
        else:
            fixed.append(finding)
    return replace(result, fixed=tuple(fixed), source=document.source, before=before, after=document.raw)


def do_file(path: str, settings: Settings, work: Work) -> FileResult:
    """Do ``work`` on the file at ``path``; whatever goes wrong is its error."""
    return _guarded(path, settings, lambda: read_file(path), lambda raw: read_document(raw, path, in_tree=True), work)


def do_bytes(raw: bytes, path: str, settings: Settings, work: Work, *, in_tree: bool = False) -> FileResult:
    """Do ``work`` on bytes; ``path`` names them and tells a notebook. ``in_tree`` says that they were read there."""
    return _guarded(path, settings, lambda: raw, lambda raw: read_document(raw, path, in_tree=in_tree), work)


def do_text(text: str, path: str, settings: Settings, work: Work, *, in_tree: bool = False) -> FileResult:
    """Do ``work`` on decoded text; ``path`` and ``in_tree`` say what they say for ``document_from_text``."""
    raw = text.encode("utf-8", "surrogatepass")
    return _guarded(path, settings, lambda: raw, lambda _: document_from_text(text, path, in_tree=in_tree), work)


def _guarded(
    path: str, settings: Settings, read: Callable[[], bytes], decode: Callable[[bytes], Document], work: Work
) -> FileResult:
    """Run ``work`` on what ``decode`` makes of the bytes of ``read``; whatever goes wrong is the error of this file."""
    try:
        raw = read()
        if not is_candidate(raw):
            return FileResult(path)
        return work(decode(raw), settings)
    except SourceError as error:
        return FileResult(path, error=_file_error(path, error))
    except Exception as error:  # a fault of ours in one file must not end the run
        from traceback import format_exc

        message = f"prepare-fix failed: {type(error).__name__}: {error}".splitlines()[0]
        return FileResult(path, error=FileError(path, "internal", message), notes=(format_exc(),))


def _file_error(path: str, error: SourceError) -> FileError:
    return FileError(path, error.kind, error.message, error.line, error.cell)


def _result(examination: Examination, findings: tuple[Finding, ...], settings: Settings) -> FileResult:
    document = examination.document
    path = document.source.path
    failures = [(code, report) for code, report in examination.failures if settings.is_selected(code)]
    error = None
    if failures:
        last_line = failures[0][1].strip().splitlines()[-1]
        codes = ", ".join(code for code, _ in failures)
        error = FileError(path, "internal", f"{codes} could not be checked: {last_line}")
    notes = tuple(report for _, report in failures)
    known = count_known(examination, settings)
    result = FileResult(path, findings, error=error, notes=notes, skipped=examination.skipped, known=known)
    # A long run keeps the results of all files: the text only where a report has to show some of it.
    return replace(result, source=document.source, before=document.raw) if findings else result
