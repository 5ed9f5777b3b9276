"""Findings as results of SARIF: where they are, the way of their objects, and their fixes."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from prepare_fix.findings import FileResult, Finding, Fix, ObjectStory
from prepare_fix.reporting.formats import level_of
from prepare_fix.reporting.places import PlacedFile, Region
from prepare_fix.reporting.wording import name_cell
from prepare_fix.sources.text import Span

ROOT = "SRCROOT"
# "[0](x)" in a message would be taken for a link.
_LINK = re.compile(r"\[(?=[^\[\]]*\]\()")


def artifact_location(path: str) -> dict[str, Any]:
    """Return a file as SARIF names it: by its URI from the root, or a whole one where ``path`` is absolute."""
    if os.path.isabs(path):
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/"))), "uriBaseId": ROOT}


def cell_location(cell: int, line: int | None) -> dict[str, Any]:
    """Return the property of a location that names the cell of a notebook, and the line in it."""
    return {"logicalLocations": [{"name": name_cell(cell, line), "kind": "cell"}]}


class Results:
    """Makes the results of one run; ``rules`` gives the index of each rule by its code."""

    def __init__(self, rules: Mapping[str, int]) -> None:
        self._rules = rules

    def tell_file(self, file: PlacedFile, result: FileResult, index: int) -> Iterator[dict[str, Any]]:
        """Yield a result for each finding of a file, which is the artifact number ``index`` of the run."""
        places = _Places(file, {**artifact_location(result.path), "index": index})
        met: Counter[str] = Counter()
        for finding in result.findings:
            met[finding.fingerprint] += 1
            yield self._result(places, finding, met[finding.fingerprint])

    def _result(self, places: _Places, finding: Finding, number: int) -> dict[str, Any]:
        told: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": self._rules[finding.rule],
            "level": level_of(finding),
            "message": _message(finding.message),
            "locations": [places.location(finding.span)],
            "relatedLocations": [
                {"id": place, **places.location(related.span, related.label)}
                for place, related in enumerate(finding.related, 1)
            ],
            "codeFlows": [_code_flow(places, story) for story in finding.objects if story.events],
            # The same mistake can be made twice in a file.
            "partialFingerprints": {"prepareFix/v1": f"{finding.fingerprint}:{number}"},
            "properties": {"status": finding.status, "certainty": finding.certainty.value},
        }
        if finding.fix is not None:
            told["fixes"] = [places.fix(finding.fix)]
        elif finding.why_no_fix:
            told["properties"]["whyNoFix"] = finding.why_no_fix
        return told


class _Places:
    """Makes what speaks of places in one file, whose location is ``artifact``."""

    def __init__(self, file: PlacedFile, artifact: dict[str, Any]) -> None:
        self._file = file
        self._artifact = artifact

    def location(self, span: Span, label: str = "") -> dict[str, Any]:
        told: dict[str, Any] = {
            "physicalLocation": {"artifactLocation": self._artifact, "region": _region(self._file.in_file(span))}
        }
        cell = self._file.in_cells(span)
        if cell.cell is not None:
            told |= cell_location(cell.cell, cell.line)
        return {**told, "message": _message(label)} if label else told

    def fix(self, fix: Fix) -> dict[str, Any]:
        replacements = [
            {"deletedRegion": _region(change.region), "insertedContent": {"text": change.text}}
            for change in self._file.changes_in_file(fix)
        ]
        return {
            "description": _message(f"{fix.title} ({fix.applicability.value} fix)"),
            "artifactChanges": [{"artifactLocation": self._artifact, "replacements": replacements}],
        }


def _code_flow(places: _Places, story: ObjectStory) -> dict[str, Any]:
    locations = [
        {
            "location": places.location(event.span, story.told(event)),
            "executionOrder": order,
            "state": {story.name: {"text": event.form.value}},
        }
        for order, event in enumerate(story.events, 1)
    ]
    return {"message": _message(f"The way of `{story.name}`"), "threadFlows": [{"locations": locations}]}


def _region(region: Region) -> dict[str, int]:
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }


def _message(text: str) -> dict[str, str]:
    return {"text": _LINK.sub(r"\\[", text)}
