"""What a name or a source holds never controls a terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import fakes
import pytest
from program import Program

if sys.platform == "win32":
    pytest.skip("no file has such a name", allow_module_level=True)

ODD = "\a\x0b\x1c\x7f\x9b\u2028\u202e"
CONTROL = re.compile(r"[^\n -~\u00a1-\u2027\u2030-\ud7ff\ue000-\uffff]")

OF_FILES = [
    "check",
    "check --color always",
    "check --statistics",
    *(f"check --output-format {name}" for name in ("concise", "json", "sarif", "github", "junit", "html")),
    "diff --color always",
    f"diff --output {ODD}",
    f"check --write-baseline {ODD}",
    "check --add-ignores",
    "review",
    "fix -v",
    "fix --output-format json",
    "config",
]
OF_ARGUMENTS = [
    f"check {ODD}",
    f"check --baseline {ODD}",
    f"check --config {ODD}",
    f"check --output-file {ODD}/a",
    f"check --select {ODD}",
    f"check --output-format {ODD}",
    f"check --jobs {ODD}",
    f"check --{ODD}",
    f"config --exclude {ODD}",
    f"diff --output a.py/{ODD}",
    f"explain {ODD}",
    "undo",
    ODD,
]


@pytest.fixture(autouse=True)
def odd_files(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path("no\a", f"a{ODD}")
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    for name, text in ((f"a{ODD}.py", f"x = safe, stays  # {ODD}\n"), (f"b{ODD}.py", "x = (\n"), ("a.py", "")):
        Path(name).write_text(f"{fakes.NEEDLES}{text}", encoding="utf-8")
    Path("prepare-fix.toml").write_text("jobs = 1\n")


@pytest.mark.parametrize("arguments", OF_FILES + OF_ARGUMENTS, ids=ascii)
def test_none_comes_through(program: Program, arguments: str) -> None:
    done = program(*arguments.split(" "))
    told = re.sub(r"\x1b\[[\d;]*m", "", done.out)
    assert CONTROL.findall(told + done.err) == []
    assert done.status == 2 or arguments.startswith("config")
    assert "Traceback" not in done.err


def test_a_diff_for_a_program_has_all_bytes(program: Program) -> None:
    patch = program("diff").out
    assert f"-x = safe, stays  # {ODD}\n" in patch
    assert "--- " + '"a/a\\a\\v\\034\\177\\302\\233' in patch


@pytest.mark.parametrize("variable", ["NO_COLOR", "FORCE_COLOR"])
def test_a_diff_on_a_terminal(program: Program, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    patch = program("diff").out
    assert "-x = safe, stays  # \\x07" in patch
    assert CONTROL.findall(re.sub(r"\x1b\[[\d;]*m", "", patch)) == []
    assert ("\x1b" in patch) is (variable == "FORCE_COLOR")
