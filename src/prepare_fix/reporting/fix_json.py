"""What a fix did and what it left, as one JSON object, for programs; ``schemas/fix.json`` describes it."""

from __future__ import annotations

from typing import Any

from prepare_fix.findings import FileResult, Finding
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.json_report import (
    TOOL,
    VERSION,
    count_files,
    count_findings,
    dump,
    tell_errors,
    tell_findings,
)
from prepare_fix.reporting.places import portable_path

_NOT_WRITTEN = ("io", "refused")


def render_fix(report: Report) -> str:
    """Return the report of a whole run; lines and columns count from 1, columns in characters."""
    results = report.results
    changed = [portable_path(result.path) for result in results if result.after is not None]
    fixed = [told for result in results for told in tell_findings(result.path, result.before, result.fixed)]
    left = [finding for result in results for finding in result.findings]
    return dump(
        {
            "version": VERSION,
            "tool": TOOL,
            "files_checked": sum(result.error is None for result in results),
            "files_changed": changed,
            "fixed": fixed,
            "findings": [told for result in results for told in _left(result, report.unsafe_fixes)],
            "errors": tell_errors(results),
            "summary": {
                "fixed": len(fixed),
                "files_changed": len(changed),
                **count_findings(left),
                **count_files(results),
            },
        }
    )


def _left(result: FileResult, unsafe_fixes: bool) -> list[dict[str, Any]]:
    raw = result.before if result.after is None else result.after
    told = tell_findings(result.path, raw, result.findings)
    return [
        {**entry, "why_left": _why_left(result, finding, unsafe_fixes)}
        for entry, finding in zip(told, result.findings, strict=True)
    ]


def _why_left(result: FileResult, finding: Finding, unsafe_fixes: bool) -> str:
    if finding.fix is None:
        return finding.why_no_fix or "this needs a person"
    if finding.status == "fixable-unsafe" and not unsafe_fixes:
        return "its fix is unsafe, and made with --unsafe-fixes"
    if result.error is not None and result.error.kind in _NOT_WRITTEN:
        return f"the file was not written: {result.error.message}"
    return "its fix does not go together with those that were made"
