"""The findings as an XML report in the style of JUnit, which most CI servers show as tests."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from prepare_fix.findings import FileError, FileResult, Finding
from prepare_fix.reporting.formats import Report
from prepare_fix.reporting.places import PlacedFile, slashed_path
from prepare_fix.reporting.screen import printable
from prepare_fix.reporting.wording import advise, name_cell


def render_junit(report: Report) -> str:
    """Return one suite for each file with something to tell, a failed test for each finding; else one that passed."""
    told = [result for result in report.results if result.findings or result.error is not None]
    suites = [_suite(result) for result in told] or [_passed(len(report.results))]
    root = Element("testsuites", {"name": "prepare-fix"})
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.extend(suites)
    ElementTree.indent(root)
    # Made as text: the encoding of what is written to is told by whoever writes.
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(result: FileResult) -> Element:
    path = _valid(slashed_path(result.path))
    cases = list(_cases(path, result))
    suite = Element("testsuite", {"name": path, "package": "prepare-fix", "tests": str(len(cases))})
    suite.set("failures", str(len(result.findings)))
    suite.set("errors", str(int(result.error is not None)))
    suite.extend(cases)
    return suite


def _cases(path: str, result: FileResult) -> Iterator[Element]:
    if result.findings:
        file = PlacedFile(result.path, result.before)
        for finding in result.findings:
            yield _finding(path, file, finding)
    if result.error is not None:
        yield _error(path, result.error)


def _finding(path: str, file: PlacedFile, finding: Finding) -> Element:
    region, place = file.in_file(finding.span), file.in_cells(finding.span)
    case = _case(f"{finding.rule} {finding.name}", path, region.line)
    failure = SubElement(case, "failure", {"type": finding.rule, "message": _valid(finding.message)})
    where = name_cell(place.cell, place.line) or f"line {place.line}"
    failure.text = _valid(f"{where}, column {place.column}: {finding.message}\n{advise(finding)}")
    return case


def _error(path: str, error: FileError) -> Element:
    case = _case(f"{error.kind} error", path, error.line if error.cell is None else None)
    told = SubElement(case, "error", {"type": error.kind, "message": _valid(error.message)})
    told.text = _valid(": ".join(filter(None, (name_cell(error.cell, error.line), error.message))))
    return case


def _passed(files: int) -> Element:
    suite = Element("testsuite", {"name": "prepare-fix", "package": "prepare-fix", "tests": "1"})
    suite.set("failures", "0")
    suite.set("errors", "0")
    name = f"no findings in {files} {'file' if files == 1 else 'files'}"
    suite.append(Element("testcase", {"name": name, "classname": "prepare-fix"}))
    return suite


def _case(name: str, path: str, line: int | None) -> Element:
    case = Element("testcase", {"name": name, "classname": path, "file": path})
    if line is not None:
        case.set("line", str(line))
    return case


def _valid(text: str) -> str:
    # What no XML can hold is among what can't be seen.
    return printable(text, keep="\t\r\n")
