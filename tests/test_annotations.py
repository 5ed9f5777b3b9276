"""``--output-format github`` and ``junit``: what CI servers read back, whatever the names and the messages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import fakes
import pytest
from junitparser import Error, Failure, JUnitXml
from program import Program
from shapes import SHAPES, checked

from prepare_fix.commands.options import known_rules
from prepare_fix.findings import FileError, FileResult, Finding
from prepare_fix.reporting.formats import Report, render
from prepare_fix.sources.text import Span

Annotation = tuple[str, dict[str, str], str]
ODD = ["new\nline\r.py", "a,b:c%25.py", "q\"'<&>.py", "\N{PILE OF POO}.py", "c\udce9.py", "\x01.py"]


def read_command(line: str) -> Annotation:
    """Return a command as GitHub's runner reads it."""
    match = re.fullmatch(r"::(\w+) (.*?)::(.*)", line)
    assert match is not None, line
    told = dict(item.split("=", 1) for item in match[2].split(","))
    return match[1], {key: unescape(value, ":,\r\n%") for key, value in told.items()}, unescape(match[3], "\r\n%")


def unescape(text: str, characters: str) -> str:
    for character in characters:
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def annotate(program: Program, *arguments: str) -> list[Annotation]:
    return [
        read_command(line) for line in program("check", "--output-format", "github", *arguments).out.split("\n")[:-1]
    ]


def test_annotations(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe, unsafe\n")
    place = {"title": "PF301 stale-object", "file": "a.py", "line": "2", "endLine": "2"}
    assert annotate(program) == [
        ("error", {**place, "col": "5", "endColumn": "9"}, "`safe` is found (safe fix: Replace `safe`)"),
        ("warning", {**place, "col": "11", "endColumn": "17"}, "`unsafe` is found (unsafe fix: Replace `unsafe`)"),
    ]


def finding(span: Span, message: str) -> Finding:
    return Finding("PF301", "stale-object", message, "", span, "f", why_no_fix="100% by hand")


def test_a_message_stays_on_its_line_and_columns_within_one() -> None:
    result = FileResult("a.py", (finding(Span(0, 3), "50%\r\n::error::"),), before=b"x\ny\n")
    out = render("github", Report([result], known_rules))
    ((level, properties, message),) = [read_command(line) for line in out.split("\n")[:-1]]
    assert (level, properties) == (
        "warning",
        {"title": "PF301 stale-object", "file": "a.py", "line": "1", "endLine": "2"},
    )
    assert message == "50%\r\n::error:: (no fix: 100% by hand)"


@pytest.mark.parametrize("name", ODD)
def test_annotations_of_odd_names(program: Program, name: str) -> None:
    Path(name).write_text(f"{fakes.NEEDLES}x = safe\n")
    Path(f"z{name}").write_text(f"{fakes.NEEDLES}x = (\n")
    shown = name.replace("\udce9", "\N{REPLACEMENT CHARACTER}").replace("\x01", "\\x01")
    assert sorted(properties["file"] for _, properties, _ in annotate(program)) == sorted([shown, f"z{shown}"])


def test_annotations_of_a_notebook_are_on_lines_of_its_json(program: Program) -> None:
    cells = [{"cell_type": "code", "source": ["import accelerate # .prepare\n", "x = safe"]}]
    text = json.dumps({"nbformat": 4, "cells": cells}, indent=1)
    Path("a.ipynb").write_text(text)
    ((_, properties, message),) = annotate(program)
    column = text.split("\n")[int(properties["line"]) - 1].index("safe") + 1
    assert (properties["col"], properties["endColumn"]) == (str(column), str(column + 4))
    assert message.startswith("cell 1, line 2: `safe` is found")
    cells[0]["source"] = "import accelerate # .prepare\nx = ("
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    ((level, properties, message),) = annotate(program)
    assert (level, properties) == ("error", {"title": "prepare-fix: syntax error", "file": "a.ipynb"})
    assert message.startswith("cell 1, line 2: '(' was never closed")


def test_annotations_start_from_the_checkout(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("inner").mkdir()
    Path("inner/a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir("inner")
    assert [properties["file"] for _, properties, _ in annotate(program)] == ["inner/a.py"]


def test_no_annotations(program: Program) -> None:
    assert annotate(program) == []


def read_xml(text: str) -> JUnitXml:
    xml = JUnitXml.fromstring(text.encode())
    assert isinstance(xml, JUnitXml)
    for suite in [xml, *xml]:
        told = suite.tests, suite.failures, suite.errors
        suite.update_statistics()
        assert told == (suite.tests, suite.failures, suite.errors)
    return xml


def test_junit(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    Path("b.py").write_text(f"{fakes.NEEDLES}x = (\n")
    Path("c.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    xml = read_xml(program("check", "--output-format", "junit").out)
    one, other = xml
    (case,) = one
    (failure,) = case.result
    assert (xml.tests, one.name, case.classname, case.name) == (2, "a.py", "a.py", "PF301 stale-object")
    assert isinstance(failure, Failure)
    assert (failure.type, failure.message) == ("PF301", "`safe` is found")
    assert failure.text == "line 2, column 5: `safe` is found\nsafe fix: Replace `safe`"
    (case,) = other
    (error,) = case.result
    assert isinstance(error, Error)
    assert (error.type, error.message) == ("syntax", error.text)


def test_junit_of_a_clean_run_has_a_test_that_passed(program: Program) -> None:
    Path("c.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    (suite,) = read_xml(program("check", "--output-format", "junit").out)
    (case,) = suite
    assert case.is_passed
    assert case.name == "no findings in 1 file"


@pytest.mark.parametrize("name", ODD)
def test_junit_of_odd_names(program: Program, name: str) -> None:
    Path(name).write_text(f"{fakes.NEEDLES}x = safe\n")
    (suite,) = read_xml(program("check", "--output-format", "junit").out)
    assert suite.name == name.replace("\udce9", "\N{REPLACEMENT CHARACTER}").replace("\x01", "\\x01")


def test_junit_escapes_what_xml_can_not_hold() -> None:
    result = FileResult(
        "a.py",
        (finding(Span(0, 1), "\x00\ud800\x1b\ufffe ok"),),
        before=b"x\n",
        error=FileError("a.py", "io", "\x0b gone"),
    )
    (suite,) = read_xml(render("junit", Report([result], known_rules)))
    failed, broken = suite
    assert failed.result[0].message == "\\x00\\ud800\\x1b\\ufffe ok"
    assert broken.result[0].message == "\\x0b gone"


@pytest.mark.parametrize("shape", SHAPES)
def test_all_findings_are_told(shape: str) -> None:
    report = Report(checked(shape), known_rules)
    count = sum(len(result.findings) for result in report.results)
    assert len(render("github", report).split("\n")) == count + 1
    assert read_xml(render("junit", report)).failures == count


@pytest.mark.parametrize("name", ["json", "sarif", "github", "junit", "html"])
def test_a_report_goes_to_a_file_as_a_whole(program: Program, name: str) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    arguments = ("check", "--output-format", name, "--statistics", "a.py")
    out = program(*arguments)
    done = program(*arguments, "--output-file", "report")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("1  PF301 [*] stale-object")
    assert Path("report").read_text(encoding="utf-8") == out.out
    assert out.err == done.err
    assert sorted(path.name for path in Path().iterdir()) == ["a.py", "report"]
