"""The output formats of ``check`` and ``fix``, and what each is given. A format is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from prepare_fix.reporting.screen import Screen

if TYPE_CHECKING:
    from prepare_fix.findings import FileResult, Finding
    from prepare_fix.rules.page import Documented


@dataclass(frozen=True, slots=True)
class Report:
    """All that a run has to tell, and how it was asked to. The paths of ``results`` are as they are to be shown.

    ``rules`` gives what the rules tell of themselves; they are many modules, so only who needs them calls it.
    ``folder`` is the absolute path of the one that relative paths start from, ``status`` that of the program's end,
    ``known`` how many findings a baseline left out.
    """

    results: Sequence[FileResult]
    rules: Callable[[], Sequence[Documented]]
    screen: Screen = field(default_factory=Screen)
    is_quiet: bool = False
    has_statistics: bool = False
    unsafe_fixes: bool = False
    folder: str = ""
    status: int = 0
    known: int = 0


class Format(NamedTuple):
    """Where the function of a format is, whether people read what it returns, and how it names files.

    ``is_of_checkout`` asks for paths from the root of the checkout that a CI job works in, since whoever reads the
    report there does not know of the current folder; what lies outside has an absolute path. ``has_choice`` asks for
    the fixes in bundles, for readers who choose among them.
    """

    module: str
    function: str
    is_for_people: bool = False
    is_of_checkout: bool = False
    has_choice: bool = False


class _Render(Protocol):
    def __call__(self, report: Report) -> str: ...


FORMATS = {
    "text": Format("text", "render_full", is_for_people=True),
    "concise": Format("text", "render_concise", is_for_people=True),
    "json": Format("json_report", "render_json"),
    "sarif": Format("sarif", "render_sarif", is_of_checkout=True),
    "github": Format("github", "render_github", is_of_checkout=True),
    "junit": Format("junit", "render_junit"),
    "html": Format("html_report", "render_html", has_choice=True),
}

FIX_FORMATS = {
    "text": FORMATS["text"],
    "json": Format("fix_json", "render_fix"),
}


def render(name: str, report: Report, formats: Mapping[str, Format] = FORMATS) -> str:
    """Return ``report`` in the format ``name``, with its last line end."""
    chosen = formats[name]
    function: _Render = getattr(importlib.import_module(f"prepare_fix.reporting.{chosen.module}"), chosen.function)
    return function(report)


def level_of(finding: Finding) -> str:
    """Return ``error`` where a safe fix is at hand, ``warning`` where a person has to decide."""
    return "error" if finding.status == "fixable" else "warning"
