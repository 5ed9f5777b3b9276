"""``fix --output-format json``: what was mended, what was not, and why."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import fakes
import pytest
from program import Program
from test_json import validate

SOURCE = f"{fakes.NEEDLES}a = safe\nb = unsafe; c = unfixable; d = stays\n"


def fix(program: Program, *arguments: str) -> dict[str, Any]:
    return validate("fix", program("fix", "--output-format", "json", *arguments).out)


def why(report: dict[str, Any]) -> dict[str, str]:
    return {entry["message"].split("`")[1]: entry["why_left"] for entry in report["findings"]}


def test_what_was_mended_and_what_was_not(program: Program) -> None:
    Path("a.py").write_text(SOURCE)
    Path("b.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    report = fix(program)
    (fixed,) = report["fixed"]
    assert (fixed["path"], fixed["line"], fixed["message"]) == ("a.py", 2, "`safe` is found")
    assert why(report) == {
        "unsafe": "its fix is unsafe, and made with --unsafe-fixes",
        "unfixable": "a person has to look",
        "stays": "the repaired source would still have this finding",
    }
    assert report["files_changed"] == ["a.py"]
    summary = {key: report["summary"][key] for key in ("fixed", "files_changed", "findings", "fixable", "errors")}
    assert summary == {"fixed": 1, "files_changed": 1, "findings": 3, "fixable": 0, "errors": 0}
    assert Path("a.py").read_text() == SOURCE.replace(" safe", " good")


def test_what_is_left_is_told_where_it_is_now(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}a = safe_with_a_longer_name, unfixable\n")
    report = fix(program)
    assert [(entry["line"], entry["column"]) for entry in report["fixed"]] == [(2, 5)]
    line = Path("a.py").read_text().split("\n")[1]
    assert [(entry["line"], entry["column"]) for entry in report["findings"]] == [(2, line.index("unfixable") + 1)]


def test_a_file_that_was_refused(program: Program) -> None:
    Path("a.py").write_text(SOURCE)
    Path("b.py").write_text(f"{fakes.NEEDLES}x = (\n")
    Path("a.py").chmod(0o444)
    report = fix(program, "--unsafe-fixes")
    assert report["files_changed"] == report["fixed"] == []
    assert [(error["path"], error["kind"]) for error in report["errors"]] == [("a.py", "refused"), ("b.py", "syntax")]
    refused = "the file was not written: no permission to write the file"
    assert (why(report)["safe"], why(report)["unsafe"]) == (refused, refused)
    assert why(report)["unfixable"] == "a person has to look"
    assert Path("a.py").read_text() == SOURCE


def test_a_file_with_uncommitted_changes(program: Program) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path("a.py").write_text(SOURCE)
    subprocess.run(["git", "add", "a.py"], check=True)
    report = fix(program)
    assert why(report)["safe"].startswith("the file was not written: it has uncommitted changes")
    assert fix(program, "--allow-dirty")["files_changed"] == ["a.py"]


def test_nothing_to_do(program: Program) -> None:
    report = fix(program)
    assert (report["fixed"], report["findings"], report["errors"]) == ([], [], [])


def test_the_source_has_standard_output_for_itself(program: Program) -> None:
    done = program("fix", "-", "--output-format", "json", "-q", stdin=SOURCE.encode())
    assert done.out == SOURCE.replace(" safe", " good")
    assert len(validate("fix", done.err)["findings"]) == 3


@pytest.mark.parametrize("name", ["text", "json"])
def test_the_report_goes_to_a_file(program: Program, name: str) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}c = unfixable\n")
    out = program("fix", "--output-format", name, "a.py").out
    done = program("fix", "--output-format", name, "--output-file", "report", "a.py")
    assert (done.status, done.out) == (1, "")
    assert Path("report").read_text(encoding="utf-8") == out


def test_a_notebook_is_told_by_cell(program: Program) -> None:
    cells = [{"cell_type": "code", "source": ["import accelerate # .prepare\n", "x = safe\n", "y = unfixable"]}]
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    report = fix(program)
    assert [(entry["cell"], entry["line"]) for entry in (*report["fixed"], *report["findings"])] == [(1, 2), (1, 3)]
