"""Look at a source with every rule, and keep a fix only where a look at the repaired source speaks for it."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from prepare_fix.candidates import is_candidate
from prepare_fix.edits import Edit, check_edits, combine_edits, find_origin
from prepare_fix.errors import CannotRewriteError, EditConflictError, SourceError
from prepare_fix.findings import Applicability, Finding, Fix, Proposal
from prepare_fix.rules import discover
from prepare_fix.sources.text import SourceText

if TYPE_CHECKING:
    from prepare_fix.flow.trace import Trace
    from prepare_fix.rules import Rule
    from prepare_fix.sources.document import Document

# What a grammar older than the source trips over: (first Python that reads it, how the line looks).
_NEWER_SYNTAX = (
    ((3, 12), re.compile(r"\s*type\s+\w+|\s*(async\s+)?(def|class)\s+\w+\[|.*\bf[rR]?(\"|')")),
    ((3, 14), re.compile(r"\s*except\*?\s+[\w.]+\s*,|.*\bt[rR]?(\"|')")),
)

MAX_TRIALS = 8
_LINE_NUMBER = re.compile(r"\bline (\d+)(?! of cell)")


@dataclass(frozen=True, slots=True)
class Examination:
    """What all rules say about a document, before selection and suppression.

    ``programs`` are the texts that were traced, ``codes`` those of the rules, ``failures`` the rules that raised, with
    their tracebacks. ``skipped`` counts the blocks of Markdown that can't be parsed.
    """

    document: Document
    findings: tuple[Finding, ...]
    programs: tuple[SourceText, ...]
    codes: tuple[str, ...]
    failures: tuple[tuple[str, str], ...] = ()
    skipped: int = 0
    _trials: dict[tuple[Edit, ...], Examination] = field(default_factory=dict, compare=False, repr=False)

    def after(self, edits: Iterable[Edit]) -> Examination:
        """Look at the document with ``edits`` made.

        A fix that is tried alone is mostly also made alone: the last few outcomes are kept.

        Raises:
            EditConflictError: two edits overlap, or one does not fit the text.
            SourceError: the edited text can't be parsed, or the document can't hold it.
        """
        made = tuple(sorted(edits))
        known = self._trials.get(made)
        if known is None:
            known = examine(replaced(self.document, made))
            if len(self._trials) == MAX_TRIALS:
                del self._trials[next(iter(self._trials))]
            self._trials[made] = known
        return known

    def program_of(self, finding: Finding) -> SourceText:
        """Return the program that ``finding`` is in: each ends where its text does."""
        return next(source for source in self.programs if finding.span.end <= len(source.text))


def examine(document: Document) -> Examination:
    """Trace each program of the document and ask every rule.

    Raises:
        SourceError: the text can't be parsed, or not be followed.
    """
    rules = discover()
    findings: list[Finding] = []
    programs: list[SourceText] = []
    failures: dict[str, str] = {}
    skipped = 0
    for source in document.programs:
        if source is not document.source and not is_candidate(source.text.encode()):
            continue
        try:
            trace = _trace(source)
        except SourceError:
            if source is document.source:
                raise
            # An example in a text often leaves things out.
            skipped += 1
            continue
        programs.append(source)
        found = _ask(rules, trace, failures)
        findings += (_told_in_cells(finding, source) for finding in found) if source.cells else found
    # A function that is called twice is traced twice, and its mistakes are found twice.
    unique = {(finding.span, finding.fingerprint): finding for finding in reversed(findings)}
    ordered = sorted(unique.values(), key=lambda finding: (finding.span, finding.rule, finding.message))
    codes = tuple(rule.code for rule in rules)
    return Examination(document, tuple(ordered), tuple(programs), codes, tuple(failures.items()), skipped)


def _told_in_cells(finding: Finding, source: SourceText) -> Finding:
    """Return a finding of a notebook whose words count lines within cells, as its readers do."""

    def told(text: str) -> str:
        return _LINE_NUMBER.sub(lambda found: _line_in_cell(int(found.group(1)), source), text)

    proposal = finding.proposal
    return replace(
        finding,
        story=told(finding.story),
        consequence=told(finding.consequence),
        why_no_fix=told(finding.why_no_fix),
        proposal=replace(proposal, title=told(proposal.title)) if proposal is not None else None,
    )


def _line_in_cell(line: int, source: SourceText) -> str:
    place = source.locate(source.line_starts[min(line, len(source.line_starts)) - 1])
    return f"line {place.line} of cell {place.cell}"


def _ask(rules: Iterable[Rule], trace: Trace, failures: dict[str, str]) -> Iterator[Finding]:
    """Yield what ``rules`` find, and note the first traceback of each that fails."""
    for rule in rules:
        try:
            yield from list(rule.check(trace))
        except Exception:  # one faulty rule must not cost the findings of the others
            from traceback import format_exc

            failures.setdefault(rule.code, format_exc())


def _trace(source: SourceText) -> Trace:
    # Most runs of most projects have no file that gets here: they do without the engine.
    from prepare_fix.flow.trace import build_trace
    from prepare_fix.sources.project import find_module

    if "\0" in source.text:
        # Every Python refuses them, each with another exception.
        place = source.locate(source.text.index("\0"))
        raise SourceError("syntax", "source can't contain null bytes", place.line, place.cell)
    try:
        with warnings.catch_warnings():
            # The parser warns of things like "\d" in the checked source, which is not what was asked.
            warnings.simplefilter("ignore")
            return build_trace(source, find_module if source.in_tree else None)
    except SyntaxError as error:
        raise _syntax_error(source, error) from error
    except (RecursionError, MemoryError) as error:
        raise SourceError("syntax", "nested too deeply to be parsed") from error
    except UnicodeEncodeError as error:
        place = source.locate(error.start)
        raise SourceError("encoding", "half of a surrogate pair is no character", place.line, place.cell) from error


def _syntax_error(source: SourceText, error: SyntaxError) -> SourceError:
    version = sys.version_info[:2]
    line = error.lineno if error.lineno and error.lineno <= len(source.line_starts) else None
    shown = source.line(line) if line else ""
    newer = next((needed for needed, look in _NEWER_SYNTAX if needed > version and look.match(shown)), None)
    advice = f"; it may need Python {newer[0]}.{newer[1]}: run prepare-fix with that" if newer else ""
    message = f"{error.msg} (read as Python {version[0]}.{version[1]}{advice})"
    if not line:
        return SourceError("syntax", message)
    place = source.locate(source.line_starts[line - 1])
    return SourceError("syntax", message, place.line, place.cell)


def build_fixes(
    examination: Examination, findings: Sequence[Finding], *, may_take_along: bool = True
) -> tuple[Finding, ...]:
    """Return ``findings``, some or all of those of ``examination``, each with its fix or the reason for none.

    A fix may take along the fixes of what it brings to light, unless that is ruled out; it is as safe as all of them.
    """
    groups: dict[Proposal, list[Finding]] = {}
    for finding in findings:
        if finding.proposal is not None:
            groups.setdefault(finding.proposal, []).append(finding)
    verdicts = {
        proposal: _build_fix(examination, proposal, group, may_take_along) for proposal, group in groups.items()
    }
    return tuple(
        finding if finding.proposal is None else _with_verdict(finding, verdicts[finding.proposal])
        for finding in findings
    )


def _with_verdict(finding: Finding, verdict: Fix | str) -> Finding:
    if isinstance(verdict, Fix):
        return replace(finding, fix=verdict, why_no_fix="")
    return replace(finding, fix=None, why_no_fix=verdict)


def _build_fix(
    examination: Examination, proposal: Proposal, mended: Sequence[Finding], may_take_along: bool
) -> Fix | str:
    """Return the fix that ``proposal`` comes down to, or why it can't be made."""
    # Importing LibCST costs more than checking a hundred files; a healthy tree never pays for it.
    from prepare_fix import codemods

    try:
        edits = codemods.render(examination.program_of(mended[0]), proposal.repairs)
    except CannotRewriteError as error:
        return str(error)
    except RecursionError:
        return "the source is nested too deeply to be rewritten"
    except Exception as error:  # a faulty codemod must not cost the findings of the file
        return f"prepare-fix could not write the repair: {type(error).__name__}: {error}"
    if not edits:
        return "the repair would change nothing"
    outcome = try_edits(examination, edits, mended)
    if not isinstance(outcome, str):
        return Fix(proposal.title, proposal.applicability, edits)
    try:
        return (may_take_along and _take_along(examination, proposal, edits, mended)) or outcome
    except (SourceError, EditConflictError):
        return outcome


def _take_along(
    examination: Examination, proposal: Proposal, edits: tuple[Edit, ...], mended: Sequence[Finding]
) -> Fix | None:
    """Return a fix that makes ``edits`` and mends what they bring to light; None where that has no fix.

    Raises:
        SourceError: the edited text can't be parsed, or the document can't hold it.
        EditConflictError: the edits do not go together.
    """
    after = examination.after(edits)
    brought = build_fixes(after, _find_brought(examination, after, mended), may_take_along=False)
    fixes = {finding.fix for finding in brought if finding.fix is not None}
    if any(finding.fix is None for finding in brought):
        return None
    combined = combine_edits(edits, {edit for fix in fixes for edit in fix.edits})
    if isinstance(try_edits(examination, combined, mended), str):
        return None
    codes = " and ".join(sorted({finding.rule for finding in brought}))
    all_safe = all(fix.is_safe for fix in fixes)
    applicability = proposal.applicability if all_safe else Applicability.UNSAFE
    return Fix(f"{proposal.title}, and mend {codes}, which that brings to light", applicability, combined)


def try_edits(examination: Examination, edits: Iterable[Edit], mended: Sequence[Finding]) -> Examination | str:
    """Make ``edits`` and look again: return what is found then, or why the edits must not be made.

    They must mend all of ``mended`` and bring nothing new, whether or not the user asked for it; what the rules of
    ``mended`` uncover was there before.
    """
    made = list(edits)
    try:
        after = examination.after(made)
    except SourceError as error:
        if error.kind == "syntax":
            return "the repaired source could not be parsed"
        return error.message
    except EditConflictError as error:
        return str(error)
    return find_objection(examination, after, mended, made) or after


def replaced(document: Document, edits: Iterable[Edit]) -> Document:
    """Return the document with all ``edits`` made.

    Raises:
        EditConflictError: two edits overlap, or one does not fit the text.
        SourceError: the document can't hold the new text.
    """
    ordered = sorted(edits)
    check_edits(document.source.text, ordered)
    return document.replaced([(edit.span, edit.new) for edit in ordered])


def find_objection(
    before: Examination, after: Examination, mended: Sequence[Finding], edits: Iterable[Edit] = ()
) -> str:
    """Return what speaks against a change that was to mend ``mended``, such as a new finding; empty if nothing.

    ``edits`` are what was changed: by them the place of a new finding is told as it is before the change.
    """
    had = Counter(finding.fingerprint for finding in before.findings)
    has = Counter(finding.fingerprint for finding in after.findings)
    # A fingerprint can stand for several findings: as many must have gone as were to be mended.
    left = had - Counter(finding.fingerprint for finding in mended)
    for finding in _find_brought(before, after, mended)[:1]:
        gone = [each for each in before.findings if has[each.fingerprint] < left[each.fingerprint]]
        return _object_to(finding, before.document.source, find_origin(finding.span.start, edits), gone)
    if any(has[finding.fingerprint] > left[finding.fingerprint] for finding in mended):
        return "the repaired source would still have this finding"
    if after.skipped > before.skipped:
        return "the repaired source could not be parsed"
    failed = {code for code, _ in after.failures} - {code for code, _ in before.failures}
    return f"{min(failed)} fails on the repaired source" if failed else ""


def _find_brought(before: Examination, after: Examination, mended: Sequence[Finding]) -> list[Finding]:
    """Return what is found after a change that was not before, but for what the rules of ``mended`` uncover."""
    codes = {finding.rule for finding in mended}
    uncovered = frozenset[str]().union(*(rule.uncovers for rule in discover() if rule.code in codes))
    had = Counter(finding.fingerprint for finding in before.findings)
    has = Counter(finding.fingerprint for finding in after.findings)
    return [
        finding
        for finding in after.findings
        if has[finding.fingerprint] > had[finding.fingerprint] and finding.rule not in uncovered
    ]


def _object_to(new: Finding, source: SourceText, origin: int, gone: Iterable[Finding]) -> str:
    """Return what ``new``, which a change of ``source`` at ``origin`` brings, asks of a person.

    Where one of its rule on the same line is ``gone``, that is the same mistake in other words: it was there before.
    """
    place = source.locate(origin)
    where = f"{new.rule} {new.name} on line {place.line}" + (f" of cell {place.cell}" if place.cell else "")
    if any(
        old.rule == new.rule and source.position(old.span.start).line == source.position(origin).line for old in gone
    ):
        return f"{where} stands in the way: mend that first"
    return f"the repair would bring {where}, to be mended with it by hand"
