"""The diff gives, through three programs that read diffs, exactly the bytes that a fix writes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from prepare_fix.errors import SourceError
from prepare_fix.reporting.unified_diff import build_diff, verify_diff

LINES = [f"line {number}" for number in range(12)]


def text(newline: str, changed: dict[int, str | None] | None = None, last: bool = True) -> str:
    lines = [(changed or {}).get(number, line) for number, line in enumerate(LINES)]
    joined = newline.join(line for line in lines if line is not None)
    return joined + newline if last else joined


def pair(newline: str, changed: dict[int, str | None], last: bool = True) -> tuple[bytes, bytes]:
    return text(newline, last=last).encode(), text(newline, changed, last).encode()


CASES: dict[str, tuple[bytes, bytes]] = {
    "line feeds": pair("\n", {5: "new"}),
    "carriage returns and line feeds": pair("\r\n", {5: "new"}),
    "carriage returns alone": pair("\r", {5: "new"}),
    "mixed line ends": (b"a\r\nb\nc\rd\n", b"a\r\nB\nc\rd\n"),
    "no last line end, far away": pair("\n", {2: "new"}, last=False),
    "no last line end, changed there": pair("\n", {11: "new"}, last=False),
    "last line end comes": (b"a\nb", b"a\nb\n"),
    "last line end goes": (b"a\nb\n", b"a\nb"),
    "no last line end, with carriage returns": pair("\r\n", {11: "new"}, last=False),
    "first line": pair("\n", {0: "new"}),
    "line removed at the end": pair("\n", {11: None}),
    "line removed at the start": pair("\n", {0: None}),
    "two hunks": pair("\n", {0: "new", 11: "newer"}),
    "one line": (b"a", b"b"),
    "byte order mark": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nc\n"),
    "latin-1": (
        "# coding: latin-1\n\xe9 = 1\nb\n".encode("latin-1"),
        "# coding: latin-1\n\xe9 = 2\nb\n".encode("latin-1"),
    ),
    "utf-8": ("\xe9 = '\N{SNOWMAN}'\nb\n".encode(), "\xe9 = '\N{SNOWMAN}'\nc\n".encode()),
    "line ends of str.splitlines": (
        "a\x0cb\x0b\x1c\x85\u2028c\nd\n".encode(),
        "a\x0cb\x0b\x1c\x85\u2028c\ne\n".encode(),
    ),
    "lines like headers": (b"-- a\n++ b\n@@ c\n\\ d\ne\n", b"-- x\n++ y\n@@ z\n\\ w\ne\n"),
    "trailing blanks": (b"a  \n\t\nb\n", b"a  \n\t\nc\n"),
    "empty lines": (b"\n\n\na\n\n\n", b"\n\n\nb\n\n\n"),
}
NAMES = [
    "plain.py",
    "deep/er/plain.py",
    "with blank.py",
    'quo"te.py',
    "back\\slash.py",
    "caf\N{LATIN SMALL LETTER E WITH ACUTE}.py",
    "tab\there.py",
]

each_case = pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_patch = pytest.mark.skipif(shutil.which("patch") is None, reason="patch is not installed")


def apply(command: list[str], folder: Path, name: str, before: bytes, diff: bytes) -> bytes:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before)
    done = subprocess.run(command, cwd=folder, input=diff, capture_output=True)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
    return file.read_bytes()


@needs_git
@each_case
def test_git_apply(tmp_path: Path, before: bytes, after: bytes) -> None:
    diff = build_diff("a.py", before, after)
    assert apply(["git", "apply", "-"], tmp_path, "a.py", before, diff) == after


@needs_patch
@each_case
def test_patch(tmp_path: Path, before: bytes, after: bytes) -> None:
    diff = build_diff("a.py", before, after)
    assert apply(["patch", "-p1"], tmp_path, "a.py", before, diff) == after


@each_case
def test_unidiff(before: bytes, after: bytes) -> None:
    diff = build_diff("a.py", before, after)
    verify_diff(diff, before, after)
    with pytest.raises(SourceError):
        verify_diff(diff, before, after + b"more\n")


@needs_git
@pytest.mark.parametrize("name", NAMES)
def test_file_names_for_git(tmp_path: Path, name: str) -> None:
    diff = build_diff(name, b"a\n", b"b\n")
    verify_diff(diff, b"a\n", b"b\n")
    assert apply(["git", "apply", "-"], tmp_path, name, b"a\n", diff) == b"b\n"


@needs_patch
@pytest.mark.parametrize("name", NAMES)
def test_file_names_for_patch(tmp_path: Path, name: str) -> None:
    assert apply(["patch", "-p1"], tmp_path, name, b"a\n", build_diff(name, b"a\n", b"b\n")) == b"b\n"


def test_no_change_is_no_diff() -> None:
    assert build_diff("a.py", b"a\n", b"a\n") == b""


def test_a_broken_diff_is_an_error() -> None:
    diff = build_diff("a.py", b"a\nb\n", b"a\nc\n").replace(b"@@ -1,2 +1,2 @@", b"@@ -1,9 +1,9 @@")
    with pytest.raises(SourceError, match="can't be read back"):
        verify_diff(diff, b"a\nb\n", b"a\nc\n")
