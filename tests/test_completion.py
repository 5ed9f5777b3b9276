"""Completion in a shell: what click's script makes of the program's commands, options, rules and paths."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")
# Asks as bash does at a press of Tab, and prints what it would offer.
ASK = """
eval "$(_PREPARE_FIX_COMPLETE=bash_source prepare-fix)"
COMP_WORDS=(prepare-fix "$@")
COMP_CWORD=$#
COMPREPLY=()
{function} prepare-fix "${{@: -1}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
type compopt >/dev/null
complete -p prepare-fix
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    binary = tmp_path / "bin" / "prepare-fix"
    binary.parent.mkdir()
    binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m prepare_fix "$@"\n')
    binary.chmod(0o755)
    path = os.pathsep.join([str(binary.parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}


def complete(environment: dict[str, str], *words: str) -> list[tuple[str, str]]:
    """Return what is offered for the last of ``words``: kind and value of each."""
    asked = {
        **environment,
        "_PREPARE_FIX_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["prepare-fix", *words]),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(["prepare-fix"], env=asked, capture_output=True, text=True, check=False, timeout=60)
    assert done.stderr == ""
    return [(kind, value) for kind, _, value in (line.partition(",") for line in done.stdout.split())]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["re"], [("plain", "review")]),
        (["check", "--output-f"], [("plain", "--output-format"), ("plain", "--output-file")]),
        (["check", "--output-format", "j"], [("plain", "json"), ("plain", "junit")]),
        (["check", "--select", "PF20"], [("plain", f"PF20{number}") for number in (1, 2, 3, 4)]),
        (["fix", "--ignore", "PF101,pf50"], [("plain", f"PF101,PF50{number}") for number in (1, 2, 3)]),
        (["explain", "PF60"], [("plain", "PF601"), ("plain", "PF602")]),
        (["diff", "tr"], [("file", "tr")]),
        (["check", "--baseline", "kn"], [("file", "kn")]),
    ],
)
def test_what_is_offered(words: list[str], offered: list[tuple[str, str]], environment: dict[str, str]) -> None:
    assert complete(environment, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_for_each_shell(shell: str, environment: dict[str, str]) -> None:
    asked = {**environment, "_PREPARE_FIX_COMPLETE": f"{shell}_source"}
    done = subprocess.run(["prepare-fix"], env=asked, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "prepare-fix" in done.stdout
    assert f"_PREPARE_FIX_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "offered"), [(["und"], ["undo"]), (["check", "--select", "PF301"], ["PF301"])])
def test_in_bash(words: list[str], offered: list[str], environment: dict[str, str]) -> None:
    script = ASK.format(function="_prepare_fix_completion")
    done = subprocess.run(
        [str(BASH), "--norc", "-c", script, "bash", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    *found, registered = done.stdout.splitlines()
    assert found == offered, done.stderr
    assert registered == "complete -o nosort -F _prepare_fix_completion prepare-fix"
