"""Which of all findings a run asked for, and which of those neither a comment silences nor the baseline knows."""

from __future__ import annotations

from collections import Counter

from prepare_fix.findings import Finding
from prepare_fix.settings import Settings, fits_prefix
from prepare_fix.suppress import UnusedIgnore, read_suppressions
from prepare_fix.verify import Examination, build_fixes


def select_findings(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that are asked for, not silenced and not known, by position, with their fixes."""
    return build_fixes(examination, select_without_fixes(examination, settings))


def select_without_fixes(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that ``select_findings`` returns, without what takes most of its time."""
    return _drop_known(_drop_silenced(examination, settings), settings)


def count_known(examination: Examination, settings: Settings) -> int:
    """Return how many findings are left out since the baseline knows them."""
    if not settings.known_here:
        return 0
    findings = _drop_silenced(examination, settings)
    return len(findings) - len(_drop_known(findings, settings))


def _drop_known(findings: tuple[Finding, ...], settings: Settings) -> tuple[Finding, ...]:
    if not settings.known_here:
        return findings
    known = Counter(settings.known_here)
    new: list[Finding] = []
    for finding in findings:
        known[finding.fingerprint] -= 1
        new += [finding] if known[finding.fingerprint] < 0 else []
    return tuple(new)


def _drop_silenced(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that no comment silences, and those about comments with nothing to silence."""
    asked = tuple(finding for finding in examination.findings if settings.is_selected(finding.rule))
    suppressions = [read_suppressions(source) for source in examination.programs]
    if not any(found.directives for found in suppressions):
        return asked
    known = (UnusedIgnore.code, *examination.codes)
    failed = {code for code, _ in examination.failures}

    def is_judged(prefix: str) -> bool:
        fitting = [code for code in examination.codes if fits_prefix(code, prefix)]
        return all(settings.is_selected(code) and code not in failed for code in fitting)

    left: list[Finding] = []
    rest = list(asked)
    for found in suppressions:
        # A comment speaks of its own program: each ends where its text does.
        end = len(found.source.text)
        left += found.apply((finding for finding in rest if finding.span.end <= end), known, is_judged)
        rest = [finding for finding in rest if finding.span.end > end]
    selected = (finding for finding in left if settings.is_selected(finding.rule))
    return tuple(sorted(selected, key=lambda finding: (finding.span, finding.rule, finding.message)))
