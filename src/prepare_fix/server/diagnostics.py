"""Findings as diagnostics, and the pages of their rules."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from prepare_fix.findings import Finding
from prepare_fix.rules.page import page_url, render_page
from prepare_fix.server.analysis import Analysis, known_rules
from prepare_fix.server.places import Places
from prepare_fix.suppress import UnusedIgnore

SOURCE = "prepare-fix"


def build_diagnostic(analysis: Analysis, finding: Finding, places: Places) -> types.Diagnostic:
    """Return ``finding`` for the editor; its data carry the fix as far as that is known."""
    is_unused = finding.rule == UnusedIgnore.code
    return types.Diagnostic(
        range=places.locate(finding.span).range,
        message=finding.message,
        severity=types.DiagnosticSeverity.Information if is_unused else types.DiagnosticSeverity.Warning,
        code=finding.rule,
        code_description=types.CodeDescription(page_url(finding.rule, finding.name)),
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if is_unused else None,
        related_information=[
            types.DiagnosticRelatedInformation(places.locate(related.span), related.label)
            for related in finding.related
        ],
        data=_data(analysis, finding, places),
    )


def _data(analysis: Analysis, finding: Finding, places: Places) -> dict[str, Any]:
    fix = finding.fix
    return {
        "name": finding.name,
        "fingerprint": finding.fingerprint,
        "fix": fix
        and {
            "title": fix.title,
            "applicability": fix.applicability.value,
            "edit": places.build_edit(analysis.split(fix.edits), is_versioned=True),
        },
        "why_no_fix": finding.why_no_fix,
    }


def render_hover(findings: tuple[Finding, ...]) -> str:
    """Return the pages of the rules of ``findings`` as Markdown, each below the reason where there is no fix."""
    pages = []
    for code, finding in {finding.rule: finding for finding in findings}.items():
        reason = f"No fix: {finding.why_no_fix}.\n\n" if finding.why_no_fix else ""
        pages.append(reason + render_page(known_rules()[code]))
    return "\n---\n\n".join(pages)
