"""The hooks for pre-commit, run as it runs them: from the root, with the names of staged files."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import fakes
import pytest
from program import Program

MANIFEST = (Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
ENTRIES = dict(re.findall(r"- id: (\S+)\n.*?\n  entry: prepare-fix (.+?)\n", MANIFEST, re.DOTALL))
SOURCE = f"{fakes.NEEDLES}x = safe\n"


@pytest.fixture
def staged() -> list[str]:
    """Return the names of the staged files of a repository that excludes one of them."""
    names = ["a.py", "old/b.py"]
    Path("old").mkdir()
    for name in names:
        Path(name).write_text(SOURCE)
    Path("prepare-fix.toml").write_text('exclude = ["old/"]\n')
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "."], check=True)
    return names


def test_check(program: Program, staged: list[str]) -> None:
    done = program(*shlex.split(ENTRIES["prepare-fix-check"]), "--output-format", "concise", "-q", *staged)
    assert (done.status, done.out) == (1, "a.py:2:5: PF301 [*] `safe` is found\n")


def test_fix_writes_what_is_staged_and_the_index_keeps_it(program: Program, staged: list[str]) -> None:
    assert program(*shlex.split(ENTRIES["prepare-fix-fix"]), *staged).status == 0
    assert [Path(name).read_text() for name in staged] == [SOURCE.replace("safe", "good"), SOURCE]
    subprocess.run(["git", "checkout", "-q", "--", "a.py"], check=True)
    assert Path("a.py").read_text() == SOURCE


def test_both_take_python_and_notebooks_in_one_process() -> None:
    assert list(ENTRIES) == ["prepare-fix-check", "prepare-fix-fix"]
    for line in ("language: python", "types_or: [python, jupyter]", "require_serial: true"):
        assert MANIFEST.count(f"  {line}\n") == 2
