"""The rules and repairs themselves in notebooks and in Markdown: there a script becomes what it becomes as a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import in_markdown, in_notebook, split_statements

from prepare_fix import fix_source
from prepare_fix.settings import Settings

GOLDEN = Path(__file__).parent / "golden"
UNSAFE = Settings(unsafe_fixes=True)
# One of each rule, that with the shortest name.
SCRIPTS = [min(rule.glob("*/before.py"), key=lambda path: len(str(path))) for rule in sorted(GOLDEN.glob("pf*"))]


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.parent.parent.name for path in SCRIPTS])
def test_a_script_in_a_document(script: Path) -> None:
    before = script.read_text()
    after = fix_source(before, settings=UNSAFE).text
    assert fix_source(in_markdown(before), path="a.md", settings=UNSAFE).text == in_markdown(after)
    assert fix_source(in_notebook([before]), path="a.ipynb", settings=UNSAFE).text == in_notebook([after])


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.parent.parent.name for path in SCRIPTS])
def test_a_script_cut_into_cells(script: Path) -> None:
    """Each statement in a cell of its own: the same repair, or none where it would reach over cells."""
    before = list(split_statements(script.read_text()))
    wanted = fix_source("\n".join(before), settings=UNSAFE)
    result = fix_source(in_notebook(before), path="a.ipynb", settings=UNSAFE)
    cells = ["".join(cell["source"]) for cell in json.loads(result.text)["cells"]]
    assert len(cells) == len(before)
    refused = any("border of a cell" in finding.why_no_fix for finding in result.remaining)
    # A statement that goes leaves an empty cell.
    expected = "\n".join(before) if refused else wanted.text
    assert "\n".join(filter(None, cells)) == expected
