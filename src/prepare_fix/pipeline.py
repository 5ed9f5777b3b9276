"""The one place that calls the stages in order, for one file and for many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from prepare_fix.candidates import is_candidate
from prepare_fix.edits import Edit, find_conflict
from prepare_fix.errors import SourceError
from prepare_fix.findings import Applicability, FileError, FileResult, Finding, Fix
from prepare_fix.settings import Settings, fits_prefix
from prepare_fix.sources.files import read_file
from prepare_fix.sources.module import module_from_text, read_module
from prepare_fix.suppress import read_suppressions
from prepare_fix.verify import Examination, build_fixes, examine, try_edits

if TYPE_CHECKING:
    from prepare_fix.verify import Document

    Work = Callable[[Document, Settings], FileResult]

MAX_PASSES = 10
_NOTEBOOK = ".ipynb"
_MARKDOWN = (".md", ".mdx")


def check_document(document: Document, settings: Settings) -> FileResult:
    """Return the findings in ``document``, each with its fix or the reason for none.

    Raises:
        SourceError: the text can't be parsed.
    """
    settings = settings.for_file(document.source.path)
    examination = examine(document)
    return _result(examination, _select(examination, settings), settings)


def fix_document(document: Document, settings: Settings) -> FileResult:
    """Return what is left in ``document`` when all fixes that ``settings`` allow are made, and its new bytes.

    Raises:
        SourceError: the text can't be parsed.
    """
    settings = settings.for_file(document.source.path)
    examination = examine(document)
    first = findings = _select(examination, settings)
    for _ in range(MAX_PASSES):
        chosen = _choose(findings, settings)
        if not chosen:
            return _fixed_result(document, examination, first, findings, settings)
        examination = _apply(examination, chosen)
        findings = _select(examination, settings)
    reason = f"after {MAX_PASSES} passes the fixes of this file still brought new ones"
    stuck = tuple(replace(finding, fix=None, why_no_fix=reason) if finding.fix else finding for finding in first)
    return _result(examine(document), stuck, settings)


def do_file(path: str, settings: Settings, work: Work) -> FileResult:
    """Do ``work`` on the file at ``path``; whatever goes wrong is its error."""
    return _guarded(path, settings, lambda: read_file(path), work, in_tree=True)


def do_bytes(raw: bytes, path: str, settings: Settings, work: Work, *, in_tree: bool = False) -> FileResult:
    """Do ``work`` on bytes; ``path`` names them and tells a notebook. ``in_tree`` says that they were read there."""
    return _guarded(path, settings, lambda: raw, work, in_tree=in_tree)


def document_from_text(text: str, path: str) -> Document:
    """Return decoded text as a document; a path that ends in ``.ipynb``, ``.md`` or ``.mdx`` tells what it is.

    Raises:
        SourceError: the text is no notebook.
    """
    if path.endswith((_NOTEBOOK, *_MARKDOWN)):
        return _read_document(text.encode("utf-8", "surrogatepass"), path)
    return module_from_text(text, path)


def _read_document(raw: bytes, path: str, *, in_tree: bool = False) -> Document:
    if path.endswith(_NOTEBOOK):
        from prepare_fix.sources.notebook import read_notebook

        return read_notebook(raw, path)
    if path.endswith(_MARKDOWN):
        from prepare_fix.sources.markdown import read_markdown

        return read_markdown(raw, path)
    return read_module(raw, path, in_tree=in_tree)


def _guarded(
    path: str, settings: Settings, read: Callable[[], bytes], work: Work, *, in_tree: bool = False
) -> FileResult:
    """Run ``work`` on the bytes that ``read`` gives; whatever goes wrong becomes the error of this file."""
    try:
        raw = read()
        if not is_candidate(raw):
            return FileResult(path)
        return work(_read_document(raw, path, in_tree=in_tree), settings)
    except SourceError as error:
        return FileResult(path, error=_file_error(path, error))
    except Exception as error:  # a fault of ours in one file must not end the run
        from traceback import format_exc

        message = f"prepare-fix failed: {type(error).__name__}: {error}".splitlines()[0]
        return FileResult(path, error=FileError(path, "internal", message), notes=(format_exc(),))


def _file_error(path: str, error: SourceError) -> FileError:
    return FileError(path, error.kind, error.message, error.line, error.cell)


def _select(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that are asked for and not silenced, with their fixes."""
    asked = tuple(finding for finding in examination.findings if settings.is_selected(finding.rule))
    return build_fixes(examination, _drop_silenced(examination, asked, settings))


def _drop_silenced(examination: Examination, asked: tuple[Finding, ...], settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that no comment silences, and those about comments with nothing to silence."""
    suppressions = [read_suppressions(source) for source in examination.programs]
    if not any(found.directives for found in suppressions):
        return asked
    failed = {code for code, _ in examination.failures}

    def is_judged(prefix: str) -> bool:
        fitting = [code for code in examination.codes if fits_prefix(code, prefix)]
        return all(settings.is_selected(code) and code not in failed for code in fitting)

    left: list[Finding] = []
    rest = list(asked)
    for found in suppressions:
        # A comment speaks of its own program: each ends where its text does.
        end = len(found.source.text)
        left += found.apply((finding for finding in rest if finding.span.end <= end), is_judged)
        rest = [finding for finding in rest if finding.span.end > end]
    selected = (finding for finding in left if settings.is_selected(finding.rule))
    return tuple(sorted(selected, key=lambda finding: (finding.span, finding.rule, finding.message)))


def _result(examination: Examination, findings: tuple[Finding, ...], settings: Settings) -> FileResult:
    document = examination.document
    path = document.source.path
    failures = [(code, report) for code, report in examination.failures if settings.is_selected(code)]
    error = None
    if failures:
        last_line = failures[0][1].strip().splitlines()[-1]
        codes = ", ".join(code for code, _ in failures)
        error = FileError(path, "internal", f"{codes} could not be checked: {last_line}")
    # A long run keeps the results of all files: the text only where a report has to show some of it.
    source = document.source if findings else None
    notes = tuple(report for _, report in failures)
    return FileResult(path, findings, source=source, error=error, notes=notes, skipped=examination.skipped)


def _fixed_result(
    original: Document,
    examination: Examination,
    first: tuple[Finding, ...],
    left: tuple[Finding, ...],
    settings: Settings,
) -> FileResult:
    after = examination.document.raw
    if after == original.raw:
        return _result(examination, left, settings)
    remaining = Counter(finding.fingerprint for finding in left)
    fixed = []
    for finding in first:
        if remaining[finding.fingerprint]:
            remaining[finding.fingerprint] -= 1
        else:
            fixed.append(finding)
    result = _result(examination, left, settings)
    source = examination.document.source
    return replace(result, fixed=tuple(fixed), source=source, before=original.raw, after=after)


def _choose(findings: Iterable[Finding], settings: Settings) -> dict[tuple[Edit, ...], list[Finding]]:
    """Return the edits to make in one pass, with the findings that each group of edits mends.

    Findings come by position: of fixes that overlap the first wins, the rest is looked at again in the next pass.
    """
    chosen: dict[tuple[Edit, ...], list[Finding]] = {}
    for finding in findings:
        if not _is_allowed(finding.fix, settings) or finding.fix is None:
            continue
        edits = finding.fix.edits
        if edits in chosen:
            # Verified together only where one proposal stands behind both.
            if finding.proposal == chosen[edits][0].proposal:
                chosen[edits].append(finding)
        elif not any(find_conflict(edits, others) for others in chosen):
            chosen[edits] = [finding]
    return chosen


def _is_allowed(fix: Fix | None, settings: Settings) -> bool:
    return fix is not None and (fix.applicability is Applicability.SAFE or settings.unsafe_fixes)


def _apply(examination: Examination, chosen: dict[tuple[Edit, ...], list[Finding]]) -> Examination:
    """Make all chosen edits; where they do not go together, as many as do, in the order that they came in."""
    edits = [edit for group in chosen for edit in group]
    outcome = try_edits(examination, edits, [finding for group in chosen.values() for finding in group])
    if isinstance(outcome, Examination):
        return outcome
    kept: list[Edit] = []
    mended: list[Finding] = []
    best = examination
    for group, findings in chosen.items():
        outcome = try_edits(examination, [*kept, *group], [*mended, *findings])
        if isinstance(outcome, Examination):
            best = outcome
            kept += group
            mended += findings
    return best
