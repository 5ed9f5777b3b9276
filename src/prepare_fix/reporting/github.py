"""The findings as commands of GitHub's workflows, which shows them as annotations of the changed lines."""

from __future__ import annotations

from collections.abc import Iterator

from prepare_fix.findings import FileError, FileResult, Finding
from prepare_fix.reporting.formats import Report, level_of
from prepare_fix.reporting.places import PlacedFile, slashed_path
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.wording import advise, name_cell


def render_github(report: Report) -> str:
    """Return a line for each finding, and for each file that could not be done."""
    return "".join(f"{line}\n" for result in report.results for line in _lines(result))


def _lines(result: FileResult) -> Iterator[str]:
    path = slashed_path(result.path)
    if result.findings:
        file = PlacedFile(result.path, result.before)
        for finding in result.findings:
            yield _finding(path, file, finding)
    if result.error is not None:
        yield _error(path, result.error)


def _finding(path: str, file: PlacedFile, finding: Finding) -> str:
    region, place = file.in_file(finding.span), file.in_cells(finding.span)
    properties: dict[str, str | int] = {"title": f"{finding.rule} {finding.name}", "file": path}
    properties |= {"line": region.line, "endLine": region.end_line}
    if region.line == region.end_line:
        # GitHub takes columns within one line only.
        properties |= {"col": region.column, "endColumn": region.end_column}
    message = f"{finding.message} ({advise(finding)})"
    return _command(level_of(finding), properties, _in_cell(place.cell, place.line, message))


def _error(path: str, error: FileError) -> str:
    properties: dict[str, str | int] = {"title": f"prepare-fix: {error.kind} error", "file": path}
    if error.line is not None and error.cell is None:
        properties["line"] = error.line
    return _command("error", properties, _in_cell(error.cell, error.line, error.message))


def _in_cell(cell: int | None, line: int | None, message: str) -> str:
    place = name_cell(cell, line)
    return f"{place}: {message}" if place else message


def _command(name: str, properties: dict[str, str | int], message: str) -> str:
    told = ",".join(f"{key}={_escape_property(str(value))}" for key, value in properties.items())
    return f"::{name} {told}::{_escape(message)}"


def _escape(text: str) -> str:
    # A log is read on a terminal as well.
    told = printable(text, keep="\r\n")
    return told.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
