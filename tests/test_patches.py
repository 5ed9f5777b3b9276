"""Diffs for people: with reasons that no program trips over, and as a file for each folder or repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import fakes
import pytest
from program import Program
from unidiff import PatchSet

from prepare_fix.edits import Edit
from prepare_fix.findings import Applicability, FileResult, Finding, Fix
from prepare_fix.reporting.reasons import format_reasons
from prepare_fix.reporting.unified_diff import build_diff
from prepare_fix.sources.text import Span

TOOLS = [
    pytest.param(
        command, marks=pytest.mark.skipif(shutil.which(command[0]) is None, reason=f"{command[0]} is not installed")
    )
    for command in (["git", "apply"], ["patch", "-p1"])
]
HEADERS = [
    "--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-x\n+y",
    "diff --git a/other.py b/other.py",
    "Index: other.py",
    "Prereq: 3",
    "*** a/other.py\n--- b/other.py\n***************",
    "1d",
    "1c1\n< x\n---\n> y",
    "@@ -1,1 +1,1 @@",
    "GIT binary patch",
    "\\ No newline at end of file",
    "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001",
    "\N{SNOWMAN} \udcff \x1b[2J",
]
NAMES = ["plain.py", "with blank.py", 'quo"te.py', "tab\there.py", "--- a.py", "caf\xe9.py", "deep/# x/a.py"]


def explained(name: str, words: str) -> bytes:
    before, after = b"old = 1\nnext = 2", b"new = 1\nnext = 2"
    fix = Fix(words, Applicability.SAFE, (Edit(Span(0, 3), "old", "new"),))
    # Each word on a line of its own, too, as wrapping may put it.
    findings = tuple(
        Finding("PF301", "stale-object", story, words, Span(0, 3), "f", fix=fix)
        for story in (words, "x" * 70 + " " + words, words.replace(" ", "\n"))
    )
    result = FileResult(name, fixed=findings, before=before, after=after)
    return format_reasons(result) + build_diff(name, before, after)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("words", HEADERS)
@pytest.mark.parametrize("name", ["plain.py", "second.py"])
def test_no_program_reads_the_reasons(tmp_path: Path, tool: list[str], words: str, name: str) -> None:
    for each in ("plain.py", "second.py", "other.py"):
        (tmp_path / each).write_bytes(b"old = 1\nnext = 2")
    patch = explained("plain.py", words) + explained("second.py", words)
    done = subprocess.run(tool, cwd=tmp_path, input=patch, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / name).read_bytes() == b"new = 1\nnext = 2"
    assert (tmp_path / "other.py").read_bytes() == b"old = 1\nnext = 2"
    assert len(PatchSet(StringIO(patch.decode("utf-8", "replace"), newline="\n"))) == 2


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", NAMES)
def test_odd_names(tmp_path: Path, tool: list[str], name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"old = 1\nnext = 2")
    done = subprocess.run(tool, cwd=tmp_path, input=explained(name, "told"), capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / name).read_bytes() == b"new = 1\nnext = 2"


def write(path: str, text: str = f"{fakes.NEEDLES}x = safe\n") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def repository(path: str) -> None:
    subprocess.run(["git", "init", "-q", path], check=True)


def test_reasons_stand_in_front_of_each_file(program: Program) -> None:
    write("a.py")
    write("b.py", f"{fakes.NEEDLES}x = 1\ny = safe, unsafe\n")
    plain, done = program("diff"), program("diff", "--explain")
    assert done.out == (
        "# PF301 stale-object, line 2\n#   `safe` is found\n#   safe fix: Replace `safe`\n"
        + plain.out[: plain.out.index("--- a/b.py")]
        + "# PF301 stale-object, line 3\n#   `safe` is found\n#   safe fix: Replace `safe`\n"
        + plain.out[plain.out.index("--- a/b.py") :]
    )
    assert (done.status, done.err) == (plain.status, plain.err)
    coloured = program("diff", "--explain", "--color", "always").out
    assert coloured.startswith("\x1b[35m# PF301 stale-object, line 2\x1b[0m\n")
    assert program("diff", "--explain", "-", stdin=Path("a.py").read_bytes()).out.startswith("# PF301")


def test_a_patch_for_each_top_folder(program: Program) -> None:
    for path in ("a.py", "one/b.py", "one/deep/c.py", "two words/d.py", "good/e.py"):
        write(path, f"{fakes.NEEDLES}x = {'good' if path.startswith('good') else 'safe'}\n")
    done = program("diff", "--output", "out", "--explain")
    assert done.status == 1
    assert done.out.splitlines() == ["out/one.patch", "out/top.patch", "out/two_words.patch"]
    assert done.err == "Would fix 4 findings in 4 files\n"
    assert sorted(os.listdir("out")) == ["one.patch", "top.patch", "two_words.patch"]
    whole = program("diff", "--explain", "--exclude", "out").out
    parts = {name: Path(name).read_text() for name in done.out.splitlines()}
    assert sorted(whole.splitlines()) == sorted("".join(parts.values()).splitlines())
    for part in parts.values():
        subprocess.run(["git", "apply"], input=part.encode(), check=True)
    assert program("diff").out == ""


def test_a_patch_for_each_repository(program: Program) -> None:
    for path in ("first/a.py", "first/deep/b.py", "group/second/c.py", "group/loose.py"):
        write(path)
    repository("first")
    repository("group/second")
    done = program("diff", "--output", "out")
    here = os.path.realpath(".")
    assert done.out.splitlines() == ["out/group.patch", "out/first.patch", "out/group-second.patch"]
    assert done.err.splitlines() == [
        f"prepare-fix: out/first.patch is to be applied in {here}/first",
        f"prepare-fix: out/group-second.patch is to be applied in {here}/group/second",
        "Would fix 4 findings in 4 files",
    ]
    for folder, name in (("first", "first"), ("group/second", "group-second"), (".", "group")):
        patch = Path("out", f"{name}.patch").read_bytes()
        subprocess.run(["git", "apply"], cwd=folder, input=patch, check=True)
    assert program("diff").out == ""


def test_names_that_would_be_one_file_are_told_apart(program: Program) -> None:
    for folder in ("a b", "a:b", "A_b", "...", "\N{SNOWMAN}"):
        write(f"{folder}/x.py")
    names = [Path(line).name for line in program("diff", "--output", "out").out.splitlines()]
    assert len({name.casefold() for name in names}) == 5
    assert all(name.isascii() and not name.startswith(".") and " " not in name for name in names)


def test_old_patches_are_overwritten_and_others_named(program: Program) -> None:
    write("one/a.py")
    write("out/one.patch", "old\n")
    write("out/gone.patch", "old\n")
    done = program("diff", "--output", "out")
    assert Path("out/one.patch").read_text().startswith("--- a/one/a.py\n")
    assert "prepare-fix: not written by this run, but in out too: gone.patch\n" in done.err


def test_nothing_to_change_writes_no_patch(program: Program) -> None:
    write("a.py", f"{fakes.NEEDLES}x = good\n")
    done = program("diff", "--output", "out")
    assert (done.status, done.out, os.listdir("out")) == (0, "", [])


def test_what_can_not_be_written_is_told(program: Program) -> None:
    write("one/a.py")
    write("out")
    assert program("diff", "--output", "out").status == 2
    write("dir/one.patch/x")
    done = program("diff", "--output", "dir")
    assert done.status == 2
    assert "dir/one.patch" in done.err
    assert program("diff", "--output", "dir", "-", stdin=b"").status == 2


def test_a_file_that_can_not_be_read_is_still_told(program: Program) -> None:
    write("one/a.py")
    write("b.py", f"{fakes.NEEDLES}x = (\n")
    done = program("diff", "--output", "out")
    assert done.status == 2
    assert done.out == "out/one.patch\n"
    assert "prepare-fix: error: b.py:2: " in done.err
