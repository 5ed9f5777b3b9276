"""Which of all findings a run asked for, and which of those no comment silences."""

from __future__ import annotations

from prepare_fix.findings import Finding
from prepare_fix.settings import Settings, fits_prefix
from prepare_fix.suppress import read_suppressions
from prepare_fix.verify import Examination, build_fixes


def select_findings(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that are asked for and not silenced, by position, with their fixes."""
    return build_fixes(examination, select_without_fixes(examination, settings))


def select_without_fixes(examination: Examination, settings: Settings) -> tuple[Finding, ...]:
    """Return the findings that ``select_findings`` returns, without what takes most of its time."""
    asked = tuple(finding for finding in examination.findings if settings.is_selected(finding.rule))
    return _drop_silenced(examination, asked, settings)


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
