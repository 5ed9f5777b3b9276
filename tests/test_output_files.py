"""Files that a run writes beside the sources: never over one of these, and no work is done for a file in vain."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import fakes
import pytest
from program import Program
from stand_in import command, environment

SOURCE = f"{fakes.NEEDLES}x = safe\n"


@pytest.fixture
def source(program: Program) -> Path:
    path = Path("a.py")
    path.write_text(SOURCE)
    return path


WRITERS = [
    ("check", "--output-file"),
    ("check", "--write-baseline"),
    ("fix", "--output-file"),
    ("review", "--output"),
]


@pytest.mark.parametrize(("verb", "option"), WRITERS)
@pytest.mark.parametrize("target", ["a.py", "./a.py", "link.py", "a.py/", "no-folder/../a.py"])
def test_no_source_is_written_over(program: Program, source: Path, verb: str, option: str, target: str) -> None:
    os.symlink("a.py", "link.py")
    done = program(verb, option, target, "a.py", stdin=b"y\n")
    assert f"{target} is one of the files to look at, and is not written over" in done.err
    assert (done.status, done.out, source.read_text()) == (2, "", SOURCE)


@pytest.mark.parametrize(("verb", "option"), WRITERS)
def test_a_file_that_was_not_looked_at_is_replaced(program: Program, source: Path, verb: str, option: str) -> None:
    Path("old.txt").write_text("old")
    assert program(verb, option, "old.txt", "a.py", stdin=b"y\n").status < 2
    assert Path("old.txt").read_text() != "old"


@pytest.mark.parametrize(("verb", "option"), [*WRITERS, ("diff", "--output")])
def test_a_dash_is_no_file(program: Program, source: Path, verb: str, option: str) -> None:
    done = program(verb, option, "-", "a.py")
    assert (done.status, done.out, os.listdir()) == (2, "", ["a.py"])
    assert f"Invalid value for '{option}': '-' is nothing to write to here (what has this name is './-')" in done.err
    program(verb, option, "./-", "a.py", stdin=b"y\n")
    assert sorted(os.listdir()) == ["-", "a.py"]


@pytest.mark.parametrize("target", ["missing/report", ".", "locked/report"])
@pytest.mark.parametrize(("verb", "option"), [("fix", "--output-file"), ("review", "--output")])
def test_nothing_is_done_for_a_file_that_can_not_be_written(
    program: Program, source: Path, monkeypatch: pytest.MonkeyPatch, verb: str, option: str, target: str
) -> None:
    Path("locked").mkdir()
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("locked") and may(path, mode))
    done = program(verb, option, target, "a.py", stdin=b"y\n")
    assert (done.status, done.out, source.read_text()) == (2, "", SOURCE)


def test_what_is_open_already_is_written_into(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE)
    log = tmp_path / "log"
    with log.open("w") as stream:
        stream.write("before\n")
        stream.flush()
        arguments = ["check", "-q", "--output-format", "concise", "--output-file", "/dev/stdout", "a.py"]
        subprocess.run([*command(), *arguments], cwd=tmp_path, stdout=stream, env=environment(), check=False)
    assert log.read_text().startswith("before\na.py:2:5: PF301")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--add-ignores", "--write-baseline", "b.json"], "--add-ignores can't be combined with --write-baseline"),
        (["--add-ignores", "--output-file", "report"], "make no report"),
        (["--write-baseline", "b.json", "--output-format", "json"], "make no report"),
        (["--write-baseline", "b.json", "--statistics"], "make no report"),
    ],
)
def test_to_silence_findings_is_no_report(program: Program, source: Path, arguments: list[str], told: str) -> None:
    done = program("check", *arguments, "a.py")
    assert told in " ".join(done.err.split())
    assert (done.status, source.read_text()) == (2, SOURCE)
    assert not Path("b.json").exists()
