"""The findings as one page of HTML that stands alone: to read, to filter, and to choose fixes from."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2s, sha256
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from prepare_fix import __version__
from prepare_fix.findings import Certainty, FileResult, Finding
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.html.changes import Place, show_fix
from prepare_fix.reporting.html.overview import (
    STATUSES,
    count_folders,
    count_rules,
    count_statuses,
    folder_of,
    outer_folders,
)
from prepare_fix.reporting.html.patches import Choices, tell_patches
from prepare_fix.reporting.html.prose import RulePage, render_rule, render_sentence
from prepare_fix.reporting.html.tracks import Tracks, draw_tracks
from prepare_fix.reporting.places import portable_path
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.text import count
from prepare_fix.sources.document import read_document
from prepare_fix.sources.text import SourceText


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding as the page has it; ``fix_key`` is empty where there is no fix to choose."""

    anchor: str
    finding: Finding
    place: str
    story: Markup
    consequence: Markup
    tracks: Tracks
    fix_key: str
    fix_title: Markup
    places: tuple[Place, ...]
    why_no_fix: Markup
    companions: tuple[tuple[str, str], ...]
    is_bound: bool

    @property
    def is_sure(self) -> bool:
        """Whether the fault shows on every path."""
        return self.finding.certainty is Certainty.EVERY_PATH


@dataclass(frozen=True, slots=True)
class File:
    """A file with findings; ``number`` is its place among the patches."""

    path: str
    folder: str
    number: int
    entries: tuple[Entry, ...]


def render_html(report: Report) -> str:
    """Return the report as a page in ASCII, so that it reads the same however it is stored."""
    loader = PackageLoader("prepare_fix.reporting.html")
    environment = Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(count=count, path=_shown)
    style, script = (loader.get_source(environment, name)[0] for name in ("style.css", "script.js"))
    page = environment.get_template("page.html").render(
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        data=_as_json(tell_patches(_with_findings(report))),
        version=__version__,
        folder=printable(os.path.basename(report.folder)),
        report=report,
        **_content(report),
    )
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii") + "\n"


def _policy(style: str, script: str) -> str:
    """Return what a browser lets the page do: to show itself, and nothing else."""
    one, other = (b64encode(sha256(text.encode()).digest()).decode("ascii") for text in (style, script))
    return (
        f"default-src 'none'; style-src 'sha256-{one}'; script-src 'sha256-{other}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _as_json(content: Any) -> Markup:
    """Return ``content`` for a script element, which nothing in it can end."""
    told = json.dumps(content, separators=(",", ":"))
    return Markup(told.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _content(report: Report) -> dict[str, Any]:
    shown = _with_findings(report)
    rules = count_rules(shown)
    folders = count_folders(shown)
    return {
        "statuses": STATUSES,
        "total": count_statuses(shown),
        "rules": rules,
        "folders": folders,
        "outer_folders": outer_folders(folder.key for folder in folders),
        "files": [_build_file(number, result) for number, result in enumerate(shown)],
        "pages": _pages(report, {rule.key for rule in rules}),
        "errors": [result.error for result in report.results if result.error is not None],
        "files_checked": sum(result.error is None for result in report.results),
        "skipped": sum(result.skipped for result in report.results),
    }


def _with_findings(report: Report) -> list[FileResult]:
    return [result for result in report.results if result.findings]


def _pages(report: Report, codes: set[str]) -> list[RulePage]:
    # Rules are many modules: none is needed where nothing was found.
    return [render_rule(rule) for rule in report.rules() if rule.code in codes] if codes else []


def _shown(path: str) -> str:
    return printable(portable_path(path))


def _build_file(number: int, result: FileResult) -> File:
    document = read_document(result.before, result.path)
    choices = Choices(number, result)
    anchors = _anchors(result.path, result.findings)

    def build(finding: Finding) -> Entry:
        fix = finding.fix
        return Entry(
            anchor=anchors[finding],
            finding=finding,
            place=_place(document.source, finding),
            story=render_sentence(finding.story),
            consequence=render_sentence(finding.consequence),
            tracks=draw_tracks(document.source, finding),
            fix_key=choices.key(finding),
            fix_title=render_sentence(fix.title if fix is not None else ""),
            places=show_fix(document, fix) if fix is not None else (),
            why_no_fix=render_sentence(finding.why_no_fix or "this needs a person"),
            companions=tuple((other.rule, anchors.get(other, "")) for other in choices.companions(finding)),
            is_bound=choices.is_bound(finding),
        )

    entries = tuple(build(finding) for finding in result.findings)
    return File(result.path, folder_of(result.path), number, entries)


def _place(source: SourceText, finding: Finding) -> str:
    place = source.locate(finding.span.start)
    return f"cell {place.cell}, line {place.line}" if place.cell is not None else f"line {place.line}"


def _anchors(path: str, findings: Sequence[Finding]) -> dict[Finding, str]:
    """Return a name for each finding, which stays while lines come and go around it."""
    return dict(zip(findings, _name_anchors(path, findings), strict=True))


def _name_anchors(path: str, findings: Sequence[Finding]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for finding in findings:
        known = f"{path}\0{finding.fingerprint}\0{seen[finding.fingerprint]}"
        seen[finding.fingerprint] += 1
        yield f"f-{blake2s(os.fsencode(known), digest_size=6).hexdigest()}"
