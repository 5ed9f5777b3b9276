"""A rule's docstring is its page: it has fixed parts, and its example is true. So is what the README shows."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from prepare_fix import Settings, check_source, fix_source
from prepare_fix.rules import Rule, discover

README = Path(__file__).parent.parent / "README.md"
PARTS = ["What it does", "Why it matters", "Example", "Use instead", "Fix safety", "Limits", "Source"]
RULES = discover()
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])
_HEADING = re.compile(rf"^({'|'.join(PARTS)}):?[ \t]*\n", re.MULTILINE)


def parts_of(rule: Rule) -> dict[str, str]:
    """Return the parts of the docstring by heading, without the line of summary above the first."""
    text = inspect.getdoc(type(rule)) or ""
    pieces = _HEADING.split(text)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def code_of(part: str) -> str:
    """Return the indented block of a part, whether or not a fence or a ``::`` stands around it."""
    fenced = re.search(r"```\w*\n(.*?)```", part, re.DOTALL)
    return textwrap.dedent(fenced[1] if fenced else part.strip("\n")).strip() + "\n"


@each_rule
def test_docstring_has_all_parts_in_order(rule: Rule) -> None:
    parts = parts_of(rule)
    assert list(parts) == PARTS
    assert all(part.strip() for part in parts.values())


@each_rule
def test_example_gives_this_finding_and_its_fix(rule: Rule) -> None:
    parts = parts_of(rule)
    example, instead = code_of(parts["Example"]), code_of(parts["Use instead"])
    findings = check_source(example)
    assert {finding.rule for finding in findings} == {rule.code}
    fixed = fix_source(example, settings=Settings(unsafe_fixes=True)).text
    # Where the tool has no fix, what to write instead is for the reader's hands.
    assert fixed == (instead if any(finding.fix for finding in findings) else example)
    assert check_source(instead) == []


@each_rule
def test_name_and_summary_are_fit_for_lists(rule: Rule) -> None:
    assert re.fullmatch(r"PF\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert 0 < len(rule.summary) <= 100
    assert "\n" not in rule.summary


def test_readme_lists_the_rules() -> None:
    found = re.search(r"<!-- rules -->\n(.*?)<!-- /rules -->", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    rows = re.findall(r"^\| (PF\d+) \| ([\w-]+) \|", found[1], re.MULTILINE)
    assert rows == [(rule.code, rule.name) for rule in RULES]


@pytest.mark.parametrize(("verb", "language"), [("check", "text"), ("diff", "diff")])
def test_readme_shows_what_the_tool_says(verb: str, language: str, request: pytest.FixtureRequest) -> None:
    command = [sys.executable, "-m", "prepare_fix", verb, "--color", "never", "examples/classifier.py"]
    said = subprocess.run(command, cwd=README.parent, capture_output=True, encoding="utf-8", check=False)
    assert said.returncode == 1, said.stderr
    page = README.read_text(encoding="utf-8")
    block = re.compile(rf"(?<=<!-- output: {verb} -->\n).*?(?=<!-- /output -->)", re.DOTALL)
    true = block.sub(lambda _: f"```{language}\n{said.stdout}```\n", page)
    if true != page and request.config.getoption("--update-golden"):
        README.write_text(true, encoding="utf-8", newline="\n")
    assert block.findall(true) == block.findall(page)
