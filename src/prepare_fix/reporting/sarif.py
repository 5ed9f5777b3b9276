"""The findings as a log of SARIF 2.1.0, for code scanning and editors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from prepare_fix import __version__
from prepare_fix.findings import FileError, FileResult
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.places import PlacedFile
from prepare_fix.reporting.sarif_results import ROOT, Results, artifact_location, cell_location
from prepare_fix.rules.page import Documented, kinds_of_fix, page_url, render_page

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def render_sarif(report: Report) -> str:
    """Return the log of one run, with all rules, whether or not something was found."""
    rules = report.rules()
    results = Results({rule.code: index for index, rule in enumerate(rules)})
    artifacts: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for result in report.results:
        if not result.findings:
            continue
        file = PlacedFile(result.path, result.before)
        found += results.tell_file(file, result, len(artifacts))
        artifacts.append({**_artifact(result.path), "encoding": file.encoding})
    run = {
        "tool": {"driver": _driver(rules)},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {ROOT: {"uri": _folder_uri(report.folder)}},
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "artifacts": artifacts,
        "results": found,
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _artifact(path: str) -> dict[str, Any]:
    return {"location": artifact_location(path), "roles": ["analysisTarget"], "sourceLanguage": "python"}


def _folder_uri(folder: str) -> str:
    return f"{Path(folder).as_uri().rstrip('/')}/"


def _driver(rules: Sequence[Documented]) -> dict[str, Any]:
    return {
        "name": "prepare-fix",
        "version": __version__,
        "language": "en",
        "rules": [_rule(rule) for rule in rules],
    }


def _rule(rule: Documented) -> dict[str, Any]:
    page, kinds = render_page(rule), kinds_of_fix(rule)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": f"{rule.summary}. Fix: {kinds}."},
        "help": {"text": page, "markdown": page},
        "helpUri": page_url(rule.code, rule.name),
        "defaultConfiguration": {"level": "error" if kinds.startswith("safe") else "warning"},
        "properties": {"tags": ["accelerate", "correctness", f"fix: {kinds}"]},
    }


def _invocation(report: Report) -> dict[str, Any]:
    return {
        "executionSuccessful": report.status != 2,
        "exitCode": report.status,
        "toolExecutionNotifications": [note for result in report.results for note in _notifications(result)],
    }


def _notifications(result: FileResult) -> Iterator[dict[str, Any]]:
    if result.error is not None:
        yield _error(result.error)
    if result.skipped:
        yield {
            "level": "note",
            "descriptor": {"id": "skipped"},
            "message": {"text": f"blocks of Markdown that can't be parsed and were skipped: {result.skipped}"},
            "locations": [{"physicalLocation": {"artifactLocation": artifact_location(result.path)}}],
        }


def _error(error: FileError) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": artifact_location(error.path)}
    location = {"physicalLocation": physical}
    if error.cell is not None:
        # The line is one of the cell: where in the file it is, a file that can't be parsed does not tell.
        location |= cell_location(error.cell, error.line)
    elif error.line is not None:
        physical["region"] = {"startLine": error.line}
    return {
        "level": "error",
        "descriptor": {"id": error.kind},
        "message": {"text": error.message},
        "locations": [location],
    }
