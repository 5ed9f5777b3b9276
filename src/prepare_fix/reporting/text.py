"""Findings for people: with the source line and what to do, or one line each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import click

from prepare_fix.findings import Applicability, FileError, FileResult, Finding, Fix
from prepare_fix.reporting.formats import Report
from prepare_fix.sources.text import SourceText, Span

_MARKS = {"fixable": " [*]", "fixable-unsafe": " [!]", "not-fixable": ""}


def render_full(report: Report) -> str:
    """Return all findings in full, or their counts, and a summary."""
    return _render(report, format_full)


def render_concise(report: Report) -> str:
    """Return all findings, a line each, or their counts, and a summary."""
    return _render(report, format_concise)


def _render(report: Report, format_file: Callable[[FileResult, bool], str]) -> str:
    if report.has_statistics:
        told = format_statistics(report.results)
    else:
        told = "".join(format_file(result, report.is_coloured) for result in report.results)
    return told if report.is_quiet else f"{told}{format_summary(report.results, report.unsafe_fixes)}\n"


def format_full(result: FileResult, colour: bool) -> str:
    """Return the findings of one file with their source lines, the places they speak of, and the fix or why none."""
    paint = _Painter(colour)
    return "".join(_block(result, finding, paint) for finding in result.findings)


def format_concise(result: FileResult, colour: bool) -> str:
    """Return the findings of one file, a line each."""
    paint = _Painter(colour)
    return "".join(f"{_headline(result, finding, paint)}\n" for finding in result.findings)


def format_error(error: FileError) -> str:
    """Return one line that says where and why a file could not be done."""
    place = f"cell {error.cell}:" if error.cell is not None else ""
    line = f"{error.line}:" if error.line is not None else ""
    return f"{printable(error.path)}:{place}{line} {error.message}"


def printable(path: str) -> str:
    """Return ``path`` on one line, whatever is in it."""
    return path if path.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in path)


def format_statistics(results: Iterable[FileResult]) -> str:
    """Return a line for each rule with findings: how many, code, name, and a mark where a fix is offered."""
    findings = [finding for result in results for finding in result.findings]
    counts = Counter((finding.rule, finding.name) for finding in findings)
    offered = {finding.rule for finding in findings if finding.fix is not None}
    width = len(str(max(counts.values(), default=0)))
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    return "".join(
        f"{count:>{width}}  {rule} {'[*]' if rule in offered else '[ ]'} {name}\n" for (rule, name), count in rows
    )


class _Painter:
    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, name: str | None = None, bold: bool = False) -> str:
        return click.style(text, fg=name, bold=bold or None) if self._colour else text


def _headline(result: FileResult, finding: Finding, paint: _Painter) -> str:
    place = _place(_source(result), finding.span)
    mark = paint(_MARKS[finding.status], "cyan") if finding.fix is not None else ""
    path, code = paint(printable(result.path), bold=True), paint(finding.rule, "red", bold=True)
    return f"{path}:{place}: {code}{mark} {finding.message}"


def _source(result: FileResult) -> SourceText:
    return result.source or SourceText("")


def _place(source: SourceText, span: Span) -> str:
    place = source.locate(span.start)
    cell = f"cell {place.cell}:" if place.cell is not None else ""
    return f"{cell}{place.line}:{place.column}"


def _block(result: FileResult, finding: Finding, paint: _Painter) -> str:
    source = _source(result)
    labels: dict[Span, list[str]] = {finding.span: []}
    for related in finding.related:
        labels.setdefault(related.span, []).append(related.label)
    width = max(len(str(source.locate(span.start).line)) for span in labels)
    lines = [_headline(result, finding, paint), paint(f"{'':{width}} |", "blue")]
    # In the order of the text, so that the reader goes through the script once.
    for span in sorted(labels):
        colour = "red" if span == finding.span else "blue"
        lines += _snippet(source, span, ", ".join(labels[span]), width, paint, colour)
    lines.append(paint(f"{'':{width}} |", "blue"))
    lines.append(f"{'':{width}} {paint('=', 'blue')} {paint('help', bold=True)}: {_advice(finding)}")
    return "\n".join(lines) + "\n\n"


def _snippet(source: SourceText, span: Span, label: str, width: int, paint: _Painter, colour: str) -> Iterator[str]:
    """Yield the line at ``span`` and a line that underlines the span, as far as it goes on that line."""
    place = source.locate(span.start)
    position = source.position(span.start)
    line = source.line(position.line)
    before = line[: position.column - 1]
    length = max(min(span.end - span.start, len(line) - len(before)), 1)
    # Tabs stay tabs in front of the underline, so that it stands right at any tab width.
    indent = "".join(char if char == "\t" else " " * _columns(char) for char in before)
    marks = "^" * max(sum(map(_columns, line[len(before) : len(before) + length])), 1)
    cell = f"(cell {place.cell})" if place.cell is not None else ""
    yield f"{paint(f'{place.line:>{width}} |', 'blue')} {line}"
    note = " ".join(filter(None, (marks, label, cell)))
    yield f"{paint(f'{chr(32):{width}} |', 'blue')} {indent}{paint(note, colour)}"


def _columns(char: str) -> int:
    """Return how many columns of a terminal a character takes."""
    if char.isascii():
        return 1
    from unicodedata import combining, east_asian_width

    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def _advice(finding: Finding) -> str:
    if finding.fix is None:
        return f"no fix: {finding.why_no_fix}" if finding.why_no_fix else "no fix: this needs a person"
    return f"{finding.fix.title} ({_how(finding.fix)})"


def _how(fix: Fix) -> str:
    return "safe fix" if fix.applicability is Applicability.SAFE else "unsafe fix, made with --unsafe-fixes"


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
    skipped = sum(result.skipped for result in results)
    checked = f"{count(len(results) - errors, 'file')} checked"
    blocks = f", {count(skipped, 'block')} of Markdown that can't be parsed skipped" if skipped else ""
    return f"{checked}{f', {errors} in error' if errors else ''}{blocks}"


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
    return ", ".join(parts)


def paint_diff(patch: str) -> str:
    """Return a diff coloured for a terminal."""
    lines = patch.split("\n")
    return "\n".join(_paint_diff_line(line) for line in lines)


def _paint_diff_line(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return click.style(line, bold=True)
    colours = {"-": "red", "+": "green", "@": "cyan"}
    return click.style(line, fg=colours[line[0]]) if line[:1] in colours else line
