"""The findings as one JSON object, for programs."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from prepare_fix import __version__
from prepare_fix.edits import Edit
from prepare_fix.findings import FileResult, Finding, Fix, ObjectStory
from prepare_fix.reporting.formats import Report
from prepare_fix.sources.text import SourceText, Span

VERSION = 1


def render_json(report: Report) -> str:
    """Return the report of a whole run; lines and columns count from 1, columns in characters."""
    results = report.results
    findings = [_finding(result, finding) for result in results for finding in result.findings]
    content = {
        "version": VERSION,
        "tool": {"name": "prepare-fix", "version": __version__},
        "files_checked": sum(result.error is None for result in results),
        "findings": findings,
        "errors": [_error(result) for result in results if result.error is not None],
        "summary": _summary(results),
    }
    return json.dumps(content, indent=2) + "\n"


def _summary(results: Sequence[FileResult]) -> dict[str, Any]:
    findings = [finding for result in results for finding in result.findings]
    statuses = Counter(finding.status for finding in findings)
    return {
        "findings": len(findings),
        "fixable": statuses["fixable"],
        "fixable_unsafe": statuses["fixable-unsafe"],
        "not_fixable": statuses["not-fixable"],
        "errors": sum(result.error is not None for result in results),
        "skipped_blocks": sum(result.skipped for result in results),
        "by_rule": dict(sorted(Counter(finding.rule for finding in findings).items())),
    }


def _error(result: FileResult) -> dict[str, Any]:
    error = result.error
    assert error is not None
    return {
        "path": error.path,
        "kind": error.kind,
        "message": error.message,
        "cell": error.cell,
        "line": error.line,
    }


def _finding(result: FileResult, finding: Finding) -> dict[str, Any]:
    source = result.source or SourceText("")
    return {
        "path": result.path,
        **_region(source, finding.span),
        "rule": finding.rule,
        "name": finding.name,
        "message": finding.message,
        "certainty": finding.certainty.value,
        "fingerprint": finding.fingerprint,
        "related": [{**_region(source, related.span), "label": related.label} for related in finding.related],
        "objects": [_story(source, story) for story in finding.objects],
        "status": finding.status,
        "fix": _fix(source, finding.fix) if finding.fix is not None else None,
        "why_no_fix": finding.why_no_fix,
        "url": f"docs/rules/{finding.rule.lower()}-{finding.name}.md",
    }


def _region(source: SourceText, span: Span) -> dict[str, Any]:
    start, end = source.locate(span.start), source.locate(span.end)
    return {
        "cell": start.cell,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def _story(source: SourceText, story: ObjectStory) -> dict[str, Any]:
    return {
        "name": story.name,
        "role": story.role,
        "created": [_point(source, span) for span in story.created],
        "prepared": [_point(source, span) for span in story.prepared],
        "used": [_point(source, span) for span in story.used],
    }


def _point(source: SourceText, span: Span) -> dict[str, Any]:
    place = source.locate(span.start)
    return {"cell": place.cell, "line": place.line, "column": place.column}


def _fix(source: SourceText, fix: Fix) -> dict[str, Any]:
    edits = [{**_region(source, edit.span), "new_text": _outward(source, edit)} for edit in sorted(fix.edits)]
    return {"applicability": fix.applicability.value, "title": fix.title, "edits": edits}


def _outward(source: SourceText, edit: Edit) -> str:
    """Return the new text of ``edit`` as it has to stand in the file, where lines may have a margin."""
    if not source.margins:
        return edit.new
    margin, last = source.margin(edit.span.start), source.margin(edit.span.end)
    body = edit.new.rstrip("\r\n")
    end = edit.new[len(body) :]
    return re.sub(r"(\r\n|\r|\n)(?![\r\n])", lambda match: match.group() + margin, body) + end + (last if end else "")
