"""``--output-format json``: what the schemas say, and edits that another program can make."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import fakes
import jsonschema
import pytest
from program import Program
from shapes import SHAPES, apply, checked

from prepare_fix.reporting.formats import Report, render
from prepare_fix.reporting.json_report import render_json
from prepare_fix.sources.document import read_document


def read_schema(name: str) -> dict[str, Any]:
    return json.loads(files("prepare_fix").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """Return ``schema`` without room for keys that it does not name: they would be undocumented."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if "properties" in inner else inner


def validate(name: str, text: str) -> dict[str, Any]:
    """Return the report in ``text`` once it is what the schema of that name says."""
    report: dict[str, Any] = json.loads(text)
    validator = jsonschema.Draft202012Validator
    validator(closed(read_schema(name)), format_checker=validator.FORMAT_CHECKER).validate(report)
    return report


@pytest.mark.parametrize("name", ["check", "fix"])
def test_the_schema_is_one(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(read_schema(name))


def test_the_two_schemas_say_the_same_of_a_finding() -> None:
    one, other = read_schema("check")["$defs"], read_schema("fix")["$defs"]
    left = other.pop("left")["properties"]
    assert one == other
    del left["why_left"]
    assert left == one["finding"]["properties"]


def test_the_schema_refuses(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    report = validate("check", program("check", "--output-format", "json").out)
    for path, value in ((("line",), 0), (("fix", "edits", 0, "cell"), 0), (("status",), "fine"), (("new",), 1)):
        broken: Any = json.loads(json.dumps(report))
        place = broken["findings"][0]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            validate("check", json.dumps(broken))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_finding_is_as_the_schema_says(shape: str) -> None:
    report = validate("check", render("json", Report(checked(shape), rules=tuple)))
    assert len(report["findings"]) > 100
    assert report["summary"]["findings"] == len(report["findings"])
    assert all(Path(finding["url"].removeprefix("file://")).is_file() for finding in report["findings"])


def apply_by_cell(text: str, edits: list[dict[str, Any]]) -> str:
    """Return the notebook with ``edits`` made in the strings of its cells, as one who knows notebooks does it."""
    content = json.loads(text)
    for edit in sorted(edits, key=lambda edit: (edit["line"], edit["column"]), reverse=True):
        cell = content["cells"][edit["cell"] - 1]
        source = "".join(cell["source"])
        begin, end = (edit["line"], edit["column"]), (edit["end_line"], edit["end_column"])
        cell["source"] = apply(source, [(begin, end, edit["new_text"])])
    return "".join(f"{''.join(cell['source'])}\0" for cell in content["cells"])


@pytest.mark.parametrize("shape", SHAPES)
def test_edits_give_what_fix_gives(shape: str) -> None:
    made = 0
    for result in checked(shape):
        document = read_document(result.before, result.path)
        told = json.loads(render_json(Report([result], rules=tuple)))["findings"]
        for finding, entry in zip(result.findings, told, strict=True):
            if finding.fix is None:
                continue
            made += 1
            after = document.replaced([(edit.span, edit.new) for edit in sorted(finding.fix.edits)])
            edits = entry["fix"]["edits"]
            if shape == "a.ipynb":
                assert apply_by_cell(document.file_text, edits) == apply_by_cell(after.file_text, [])
            else:
                changes = [
                    ((edit["line"], edit["column"]), (edit["end_line"], edit["end_column"]), edit["new_text"])
                    for edit in edits
                ]
                assert apply(document.file_text, changes) == after.file_text
    assert made > 50


def test_nothing_to_tell(program: Program) -> None:
    report = validate("check", program("check", "--output-format", "json").out)
    assert (report["findings"], report["errors"], report["files_checked"]) == ([], [], 0)


ODD = ["new\nline.py", "quote\"'.py", "\N{PILE OF POO}, :%.py", "c\udce9.py"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names(program: Program, name: str) -> None:
    Path(name).write_text(f"{fakes.NEEDLES}x = safe\n")
    Path(f"b{name}").write_text(f"{fakes.NEEDLES}x = (\n")
    report = validate("check", program("check", "--output-format", "json").out)
    shown = name.replace("\udce9", "\N{REPLACEMENT CHARACTER}")
    assert [finding["path"] for finding in report["findings"]] == [shown]
    assert [error["path"] for error in report["errors"]] == [f"b{shown}"]


def test_standard_input(program: Program) -> None:
    stdin = f"{fakes.NEEDLES}x = safe\n".encode()
    report = validate("check", program("check", "-", "--output-format", "json", stdin=stdin).out)
    assert [finding["path"] for finding in report["findings"]] == ["<stdin>"]
