"""Findings for people: as stories or one line each, their counts, and the last line of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import click

from prepare_fix.findings import FileError, FileResult
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.screen import Screen, printable
from prepare_fix.sources.text import SourceText

MARKS = {"fixable": "[*]", "fixable-unsafe": "[!]", "not-fixable": ""}
"""What stands behind a code, by the status of the finding."""
_STATUSES = {"fixable": "safe", "fixable-unsafe": "unsafe", "not-fixable": "no fix"}


def render_full(report: Report) -> str:
    """Return the stories of all findings, or their counts, and a summary."""
    told = "" if report.has_statistics else "".join(_stories(report))
    # One rule is counted in the last line well enough.
    rules = {finding.rule for result in report.results for finding in result.findings}
    counts = len(rules) > 1 and not report.is_quiet
    if report.has_statistics or counts:
        told += format_statistics(report.results)
    return told + _last_line(report)


def render_concise(report: Report) -> str:
    """Return all findings, a line each, or their counts, and a summary."""
    if report.has_statistics:
        return format_statistics(report.results) + _last_line(report)
    return "".join(format_concise(result, report.screen) for result in report.results) + _last_line(report)


def _stories(report: Report) -> Iterator[str]:
    return (format_full(result, report.screen, report.unsafe_fixes) for result in report.results)


def _last_line(report: Report) -> str:
    return "" if report.is_quiet else f"{format_summary(report.results, report.unsafe_fixes)}\n"


def format_full(result: FileResult, screen: Screen, allows_unsafe: bool) -> str:
    """Return the findings of one file as stories: what happens, what breaks, and the fix or why there is none.

    ``allows_unsafe`` says that a fix would make the unsafe ones too.
    """
    if not result.findings:
        return ""
    # Most runs find nothing, and draw nothing.
    from prepare_fix.reporting.story import format_findings

    source = result.source or SourceText("")
    return format_findings(source, result.path, result.findings, screen, allows_unsafe)


def format_concise(result: FileResult, screen: Screen) -> str:
    """Return the findings of one file, a line each."""
    if not result.findings:
        return ""
    from prepare_fix.reporting.story import format_place

    source = result.source or SourceText("")
    return "".join(
        f"{format_place(source, result.path, finding, screen)} {printable(finding.message)}\n"
        for finding in result.findings
    )


def format_error(error: FileError) -> str:
    """Return one line that says where and why a file could not be done."""
    place = f"cell {error.cell}:" if error.cell is not None else ""
    line = f"{error.line}:" if error.line is not None else ""
    return printable(f"{error.path}:{place}{line} {error.message}")


def format_statistics(results: Iterable[FileResult]) -> str:
    """Return a line for each rule with findings: how many, code, the mark of the best fix there is, name, and how many
    have which kind of fix."""
    findings = [finding for result in results for finding in result.findings]
    counts = Counter((finding.rule, finding.name) for finding in findings)
    statuses = Counter((finding.rule, finding.status) for finding in findings)
    width = len(str(max(counts.values(), default=0)))
    longest = max((len(name) for _, name in counts), default=0)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join(
        f"{count:>{width}}  {rule} {_mark(rule, statuses)} {name:<{longest}}  "
        f"{', '.join(f'{number} {told}' for key, told in _STATUSES.items() if (number := statuses[rule, key]))}\n"
        for (rule, name), count in rows
    )


def _mark(rule: str, statuses: Counter[tuple[str, str]]) -> str:
    return next(mark for status, mark in MARKS.items() if statuses[rule, status]) or "[ ]"


def format_summary(results: Sequence[FileResult], unsafe_fixes: bool) -> str:
    """Return the last line of a check: how many findings, and how many of them ``fix`` would mend."""
    statuses = Counter(finding.status for result in results for finding in result.findings)
    total = statuses.total()
    if not total:
        return f"{_checked(results)}, no findings"
    safe, unsafe = statuses["fixable"], statuses["fixable-unsafe"]
    option = " --unsafe-fixes" if unsafe_fixes else ""
    parts = []
    if ready := safe + unsafe if unsafe_fixes else safe:
        parts.append(f"{ready} fixable with `prepare-fix fix{option}`")
    if unsafe and not unsafe_fixes:
        parts.append(f"{unsafe}{' more' if safe else ' fixable'} with `--unsafe-fixes`")
    found = f"Found {count(total, 'finding')} in {_checked(results)}"
    return f"{found}: {', '.join(parts)}" if parts else found


def _checked(results: Sequence[FileResult]) -> str:
    errors = sum(result.error is not None for result in results)
    checked = f"{count(len(results) - errors, 'file')} checked"
    return ", ".join([checked, *([f"{errors} in error"] if errors else []), *_skipped(results)])


def _skipped(results: Sequence[FileResult]) -> list[str]:
    skipped = sum(result.skipped for result in results)
    return [f"{count(skipped, 'block')} of Markdown that can't be parsed skipped"] if skipped else []


def count(number: int, noun: str) -> str:
    """Return ``1 finding``, ``2 findings``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_fix_summary(results: Sequence[FileResult], verb: str) -> str:
    """Return the last line of a fix or diff: how many findings are mended in how many files, and what is left."""
    fixed = sum(len(result.fixed) for result in results)
    files = sum(result.after is not None for result in results)
    left = Counter(finding.status for result in results for finding in result.findings)
    if not fixed and not left.total():
        return f"{_checked(results)}, no findings"
    parts = [f"{verb} {count(fixed, 'finding')} in {count(files, 'file')}"]
    if left.total():
        parts.append(f"{left.total()} left")
    if left["fixable-unsafe"]:
        parts.append(f"{left['fixable-unsafe']} of them fixable with `--unsafe-fixes`")
    return ", ".join([*parts, *_skipped(results)])


def show_diff(patch: str, is_coloured: bool) -> str:
    """Return a diff for a terminal: no patch any more where the source holds what would change that."""
    lines = (printable(line, keep="\t\r") for line in patch.split("\n"))
    return "\n".join(map(_paint_diff_line, lines) if is_coloured else lines)


def _paint_diff_line(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return click.style(line, bold=True)
    colours = {"-": "red", "+": "green", "@": "cyan", "#": "magenta"}
    return click.style(line, fg=colours[line[0]]) if line[:1] in colours else line
