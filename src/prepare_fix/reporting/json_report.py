"""The findings as one JSON object, for programs; ``schemas/check.json`` describes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from prepare_fix import __version__
from prepare_fix.findings import FileError, FileResult, Finding, Fix, ObjectStory
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.places import PlacedFile, portable_path
from prepare_fix.rules.page import page_url
from prepare_fix.sources.text import Span

VERSION = 1


def render_json(report: Report) -> str:
    """Return the report of a whole run; lines and columns count from 1, columns in characters."""
    results = report.results
    findings = [finding for result in results for finding in result.findings]
    return dump(
        {
            "version": VERSION,
            "tool": TOOL,
            "files_checked": sum(result.error is None for result in results),
            "findings": [
                told for result in results for told in tell_findings(result.path, result.before, result.findings)
            ],
            "errors": tell_errors(results),
            "summary": {**count_findings(findings), **count_files(results)},
        }
    )


TOOL = {"name": "prepare-fix", "version": __version__}


def dump(content: dict[str, Any]) -> str:
    """Return ``content`` as text."""
    return json.dumps(content, indent=2) + "\n"


def count_findings(findings: Sequence[Finding]) -> dict[str, Any]:
    """Return how many ``findings`` there are by status and by rule."""
    statuses = Counter(finding.status for finding in findings)
    return {
        "findings": len(findings),
        "fixable": statuses["fixable"],
        "fixable_unsafe": statuses["fixable-unsafe"],
        "not_fixable": statuses["not-fixable"],
        "by_rule": dict(sorted(Counter(finding.rule for finding in findings).items())),
    }


def count_files(results: Iterable[FileResult]) -> dict[str, int]:
    """Return how many files were in error, and how many blocks of Markdown were left out."""
    return {
        "errors": sum(result.error is not None for result in results),
        "skipped_blocks": sum(result.skipped for result in results),
    }


def tell_errors(results: Iterable[FileResult]) -> list[dict[str, Any]]:
    """Return an entry for each file that could not be done."""
    return [_error(result.error) for result in results if result.error is not None]


def _error(error: FileError) -> dict[str, Any]:
    return {
        "path": portable_path(error.path),
        "kind": error.kind,
        "message": error.message,
        "cell": error.cell,
        "line": error.line,
    }


def tell_findings(path: str, raw: bytes, findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return an entry for each of ``findings``, which are those in the bytes ``raw`` of a file."""
    if not findings:
        return []
    file = PlacedFile(path, raw)
    return [{"path": portable_path(path), **_finding(file, finding)} for finding in findings]


def _finding(file: PlacedFile, finding: Finding) -> dict[str, Any]:
    return {
        **_region(file, finding.span),
        "rule": finding.rule,
        "name": finding.name,
        "message": finding.message,
        "story": finding.story,
        "consequence": finding.consequence,
        "certainty": finding.certainty.value,
        "fingerprint": finding.fingerprint,
        "related": [{**_region(file, related.span), "label": related.label} for related in finding.related],
        "objects": [_story(file, story) for story in finding.objects],
        "status": finding.status,
        "fix": _fix(file, finding.fix) if finding.fix is not None else None,
        "why_no_fix": finding.why_no_fix,
        "url": page_url(finding.rule, finding.name),
    }


def _region(file: PlacedFile, span: Span) -> dict[str, Any]:
    return asdict(file.in_cells(span))


def _story(file: PlacedFile, story: ObjectStory) -> dict[str, Any]:
    return {
        "name": story.name,
        "role": story.role,
        "created": [_point(file, span) for span in story.created],
        "prepared": [_point(file, span) for span in story.prepared],
        "used": [_point(file, span) for span in story.used],
        "events": [
            {**_point(file, event.span), "kind": event.kind.value, "form": event.form.value, "label": event.label}
            for event in story.events
        ],
    }


def _point(file: PlacedFile, span: Span) -> dict[str, Any]:
    region = file.in_cells(span)
    return {"cell": region.cell, "line": region.line, "column": region.column}


def _fix(file: PlacedFile, fix: Fix) -> dict[str, Any]:
    edits = [{**asdict(change.region), "new_text": change.text} for change in file.changes_in_cells(fix)]
    return {"applicability": fix.applicability.value, "title": fix.title, "edits": edits}
