"""A rule's docstring is its page: it has fixed parts, and its example is true. So is what the README shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rule_docs

from prepare_fix import Settings, check_source, fix_source
from prepare_fix.commands.options import known_rules
from prepare_fix.rules.page import PARTS, Documented, kinds_of_fix, render_page, render_table, split_docstring

README = Path(__file__).parent.parent / "README.md"
RULES = known_rules()
each_rule = pytest.mark.parametrize("rule", RULES, ids=[rule.code for rule in RULES])


def code_of(part: str) -> str:
    """Return the block of code in a part."""
    fenced = re.search(r"```python\n(.*?)```", part, re.DOTALL)
    assert fenced, "an example is a fenced block of Python"
    return fenced[1]


@each_rule
def test_docstring_has_all_parts_in_order(rule: Documented) -> None:
    first, parts = split_docstring(rule)
    assert first
    assert tuple(parts) == PARTS
    assert all(parts.values())
    assert kinds_of_fix(rule) != "none" or "no fix" in parts["Fix safety"]


@each_rule
def test_page_is_up_to_date(rule: Documented) -> None:
    page = rule_docs.expected_files(README.parent)
    (text,) = (text for path, text in page.items() if path.name == f"{rule.code.lower()}-{rule.name}.md")
    assert text == render_page(rule)
    written = README.parent / "docs" / "rules" / f"{rule.code.lower()}-{rule.name}.md"
    assert written.exists(), "run python scripts/rule_docs.py"
    assert written.read_text(encoding="utf-8") == text, "run python scripts/rule_docs.py"


def test_nothing_is_out_of_date() -> None:
    assert [path.name for path in rule_docs.find_differences(README.parent)] == []


def test_script_writes_and_removes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_docs, "__file__", str(tmp_path / "scripts" / "rule_docs.py"))
    (tmp_path / "README.md").write_text("a\n<!-- rules -->\nold\n<!-- /rules -->\nb\n", encoding="utf-8")
    stray = tmp_path / "docs" / "rules" / "pf999-gone.md"
    stray.parent.mkdir(parents=True)
    stray.write_text("", encoding="utf-8")
    assert rule_docs.main(["--check"]) == 1
    assert rule_docs.main([]) == 0
    assert rule_docs.main(["--check"]) == 0
    assert not stray.exists()
    table = render_table(RULES, "docs/rules")
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert readme == f"a\n<!-- rules -->\n{table}<!-- /rules -->\nb\n"
    assert len(list(stray.parent.iterdir())) == len(RULES)


@each_rule
def test_example_gives_this_finding_and_its_fix(rule: Documented) -> None:
    parts = split_docstring(rule)[1]
    example, instead = code_of(parts["Example"]), code_of(parts["Use instead"])
    findings = check_source(example)
    assert {finding.rule for finding in findings} == {rule.code}
    fixed = fix_source(example, settings=Settings(unsafe_fixes=True)).text
    # Where the tool has no fix, what to write instead is for the reader's hands.
    assert fixed == (instead if any(finding.fix for finding in findings) else example)
    assert check_source(instead) == []


@each_rule
def test_name_and_summary_are_fit_for_lists(rule: Documented) -> None:
    assert re.fullmatch(r"PF\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert 0 < len(rule.summary) <= 100
    assert "\n" not in rule.summary


@pytest.mark.parametrize(("verb", "language"), [("check", "text"), ("diff", "diff")])
def test_readme_shows_what_the_tool_says(verb: str, language: str, request: pytest.FixtureRequest) -> None:
    command = [sys.executable, "-m", "prepare_fix", verb, "--color", "never", "examples/classifier.py"]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "COLUMNS": "80"}
    said = subprocess.run(
        command, cwd=README.parent, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert said.returncode == 1, said.stderr
    page = README.read_text(encoding="utf-8")
    block = re.compile(rf"(?<=<!-- output: {verb} -->\n).*?(?=<!-- /output -->)", re.DOTALL)
    true = block.sub(lambda _: f"```{language}\n{said.stdout}```\n", page)
    if true != page and request.config.getoption("--update-golden"):
        README.write_text(true, encoding="utf-8", newline="\n")
    assert block.findall(true) == block.findall(page)
