"""The program as a user meets it: what goes to which stream, and the exit status."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import fakes
import pytest
from program import Done, Program

from prepare_fix import __version__
from prepare_fix.flow import trace
from prepare_fix.rules.page import page_url

BAD = f"{fakes.NEEDLES}x = safe, unsafe\ny = stays\n"
GOOD = f"{fakes.NEEDLES}x = 1\n"
FIXABLE = f"{fakes.NEEDLES}x = safe\n"


def write(**files: str) -> None:
    for name, content in files.items():
        Path(f"{name}.py").write_text(content)


# --- exit status ---------------------------------------------------------------------------------------------------

STATUS = [
    # files, arguments, check, diff, fix
    ({"a": GOOD}, [], 0, 0, 0),
    ({}, [], 0, 0, 0),
    ({"a": FIXABLE}, [], 1, 1, 0),
    ({"a": BAD}, [], 1, 1, 1),
    ({"a": f"{fakes.NEEDLES}x = stays\n"}, [], 1, 0, 1),
    ({"a": f"{fakes.NEEDLES}x = unsafe\n"}, [], 1, 0, 1),
    ({"a": f"{fakes.NEEDLES}x = unsafe\n"}, ["--unsafe-fixes"], 1, 1, 0),
    ({"a": BAD}, ["--exit-zero"], 0, 0, 0),
    ({"a": BAD}, ["--ignore", "PF3"], 0, 0, 0),
    ({"a": f"{fakes.NEEDLES}x = (\n", "b": FIXABLE}, [], 2, 2, 2),
    ({"a": f"{fakes.NEEDLES}x = (\n"}, ["--exit-zero"], 2, 2, 2),
    ({"a": GOOD}, ["missing.py"], 2, 2, 2),
    ({"a": GOOD}, ["--select", "PF9"], 2, 2, 2),
    ({"a": GOOD}, ["--nonsense"], 2, 2, 2),
    ({"a": GOOD}, ["-", "a.py"], 2, 2, 2),
]


@pytest.mark.parametrize(("files", "arguments", "check", "diff", "fix"), STATUS)
def test_exit_status(
    program: Program, files: dict[str, str], arguments: list[str], check: int, diff: int, fix: int
) -> None:
    write(**files)
    assert program("check", *arguments).status == check
    assert program("diff", *arguments).status == diff
    assert {path.stem: path.read_text() for path in Path().iterdir()} == files, "only fix writes"
    assert program("fix", *arguments).status == fix


def test_errors_are_one_line_each_and_the_rest_is_done(program: Program) -> None:
    write(a=f"{fakes.NEEDLES}x = (\n", b=FIXABLE, c=f"{fakes.NEEDLES}CRASH = safe\n")
    Path("d.py").write_bytes(f"{fakes.NEEDLES}x = '\xff'\n".encode("latin-1"))
    done = program("fix", ".", "missing")
    assert done.status == 2
    assert [line for line in done.err.splitlines() if "error" in line] == [
        f"prepare-fix: error: a.py:2: '(' was never closed (read as Python {'.'.join(map(str, sys.version_info[:2]))})",
        "prepare-fix: error: c.py: PF101 could not be checked: ZeroDivisionError: planted",
        "prepare-fix: error: d.py:2: byte 0xff is no valid utf-8",
        "prepare-fix: error: missing: No such file or directory",
    ]
    assert "Traceback" not in done.err
    assert Path("b.py").read_text() == FIXABLE.replace("safe", "good")
    assert Path("c.py").read_text() == f"{fakes.NEEDLES}CRASH = good\n"
    assert "Traceback" in program("check", "-v").err


# --- check ---------------------------------------------------------------------------------------------------------

TEXT = """\
a.py:2:5: PF301 [*] `safe` is found

  1    import accelerate  # .prepare  it begins here
  2 ○  x = safe, unsafe
           ^^^^  `safe` is created; unprepared `safe` is used

  fix (safe): Replace `safe`
    2 - x = safe, unsafe
      + x = good, unsafe

a.py:2:11: PF301 [!] `unsafe` is found

  1    import accelerate  # .prepare  it begins here
  2 ○  x = safe, unsafe
                 ^^^^^^  `unsafe` is created; unprepared `unsafe` is used

  fix (unsafe, needs --unsafe-fixes): Replace `unsafe`
    2 - x = safe, unsafe
      + x = safe, good

a.py:3:5: PF301 `stays` is found

  1    import accelerate  # .prepare  it begins here
  3 ○  y = stays
           ^^^^^  `stays` is created; unprepared `stays` is used

  no fix: the repaired source would still have this finding

"""
CONCISE = """\
a.py:2:5: PF301 [*] `safe` is found
a.py:2:11: PF301 [!] `unsafe` is found
a.py:3:5: PF301 `stays` is found
"""
SUMMARY = "Found 3 findings in 2 files checked: 1 fixable with `prepare-fix fix`, 1 more with `--unsafe-fixes`\n"


def test_text(program: Program) -> None:
    write(a=BAD, b=GOOD)
    assert program("check") == Done(1, TEXT + SUMMARY, "")
    assert program("check", "-q") == Done(1, TEXT, "")
    allowed = TEXT.replace("unsafe, needs --unsafe-fixes", "unsafe")
    assert program("check", "-q", "--unsafe-fixes") == Done(1, allowed, "")
    assert program("check", "b.py") == Done(0, "1 file checked, no findings\n", "")
    assert program("check", "-q", "b.py") == Done(0, "", "")
    write(c=f"{fakes.NEEDLES}x = (\n")
    assert program("check", "b.py", "c.py").out == "1 file checked, 1 in error, no findings\n"


def test_concise(program: Program) -> None:
    write(a=BAD, b=GOOD)
    assert program("check", "--output-format", "concise") == Done(1, CONCISE + SUMMARY, "")


def test_a_notebook_is_shown_as_it_was_written(program: Program) -> None:
    cell = "import accelerate  # .prepare\n%time x = safe\n!ls {safe}\n"
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell}]}))
    told = program("check", "-q").out
    assert "  cell 1:2 ○  %time x = safe\n" in told
    assert "    cell 1:2 - %time x = safe\n             + %time x = good\n" in told
    page = program("check", "--output-format", "html").out
    assert ">%time x = safe<" in re.sub(r"</?(span|mark)[^>]*>", "", page)
    assert "0    " not in told + page


def test_places_on_one_spot_are_shown_once(program: Program) -> None:
    write(a="safe  # accelerate .prepare\n")
    assert program("check", "-q").out == (
        "a.py:1:1: PF301 [*] `safe` is found\n\n"
        "  1 ○  safe  # accelerate .prepare\n"
        "       ^^^^  it begins here; `safe` is created; unprepared `safe` is used\n\n"
        "  fix (safe): Replace `safe`\n"
        "    1 - safe  # accelerate .prepare\n"
        "      + good  # accelerate .prepare\n\n"
    )


@pytest.mark.parametrize(
    ("source", "arguments", "summary"),
    [
        ("safe", [], "Found 1 finding in 1 file checked: 1 fixable with `prepare-fix fix`"),
        ("unsafe", [], "Found 1 finding in 1 file checked: 1 fixable with `--unsafe-fixes`"),
        (
            "safe, unsafe",
            ["--unsafe-fixes"],
            "Found 2 findings in 1 file checked: 2 fixable with `prepare-fix fix --unsafe-fixes`",
        ),
        ("stays", [], "Found 1 finding in 1 file checked"),
    ],
)
def test_summary(program: Program, source: str, arguments: list[str], summary: str) -> None:
    write(a=f"{fakes.NEEDLES}x = {source}\n")
    assert program("check", *arguments).out.splitlines()[-1] == summary


def test_wide_characters_and_tabs_are_underlined_right(program: Program) -> None:
    write(a=f"{fakes.NEEDLES}if x:\n\ty = '\N{CJK UNIFIED IDEOGRAPH-4E2D}', 'e\N{COMBINING ACUTE ACCENT}', safe\n")
    lines = program("check").out.splitlines()
    (code, carets), at = lines[3:5], lines[3].index("safe")
    assert code.startswith("  3 ○  y = '")
    # One column more for the wide character, one less for the accent.
    assert carets.index("^^^^") == at + 1 - 1


def test_a_notebook_is_shown_by_cell(program: Program) -> None:
    cells = [
        {"cell_type": "markdown", "source": "safe"},
        {"cell_type": "code", "source": ["import accelerate # .prepare\n", "!ls"]},
        {"cell_type": "code", "source": "x = 1\ny = safe"},
    ]
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    assert program("check", "--output-format", "concise").out.startswith("a.ipynb:cell 3:2:5: PF301 [*] `safe`")
    assert program("check", "-q").out == (
        "a.ipynb:cell 3:2:5: PF301 [*] `safe` is found\n\n"
        "  cell 2:1    import accelerate # .prepare  it begins here\n"
        "  cell 3:2 ○  y = safe\n"
        "                  ^^^^  `safe` is created; unprepared `safe` is used\n\n"
        "  fix (safe): Replace `safe`\n"
        "    cell 3:2 - y = safe\n"
        "             + y = good\n\n"
    )
    (finding,) = json.loads(program("check", "--output-format", "json").out)["findings"]
    assert (finding["cell"], finding["line"], finding["column"], finding["end_column"]) == (3, 2, 5, 9)
    assert finding["fix"]["edits"] == [
        {"cell": 3, "line": 2, "column": 5, "end_line": 2, "end_column": 9, "new_text": "good"}
    ]
    cells[2]["source"] = "x = ("
    Path("a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    assert program("check").err.startswith("prepare-fix: error: a.ipynb:cell 3:1: '(' was never closed")


def test_json(program: Program) -> None:
    write(a=BAD, b=GOOD, c=f"{fakes.NEEDLES}x = (\n")
    done = program("check", "--output-format", "json")
    assert done.status == 2
    report = json.loads(done.out)
    assert report["version"] == 1
    assert report["tool"] == {"name": "prepare-fix", "version": __version__}
    assert report["files_checked"] == 2
    first, second, third = report["findings"]
    assert {key: first[key] for key in ("path", "cell", "line", "column", "end_line", "end_column")} == {
        "path": "a.py",
        "cell": None,
        "line": 2,
        "column": 5,
        "end_line": 2,
        "end_column": 9,
    }
    assert {key: first[key] for key in ("rule", "name", "message", "objects", "status", "why_no_fix", "url")} == {
        "rule": "PF301",
        "name": "stale-object",
        "message": "`safe` is found",
        "objects": [
            {
                "name": "safe",
                "role": "model",
                "created": [{"cell": None, "line": 2, "column": 5}],
                "prepared": [],
                "used": [{"cell": None, "line": 2, "column": 5}],
                "events": [
                    {"cell": None, "line": 2, "column": 5, "kind": kind, "form": "unprepared", "label": label}
                    for kind, label in (("created", "is created"), ("used", "is used"))
                ],
            }
        ],
        "status": "fixable",
        "why_no_fix": "",
        "url": page_url("PF301", "stale-object"),
    }
    assert first["fix"]["applicability"] == "safe"
    assert first["fix"]["title"] == "Replace `safe`"
    assert second["fix"]["applicability"] == "unsafe"
    assert third["fix"] is None
    assert third["why_no_fix"] == "the repaired source would still have this finding"
    (error,) = report["errors"]
    assert {key: error[key] for key in ("path", "kind", "line")} == {"path": "c.py", "kind": "syntax", "line": 2}
    assert report["summary"] == {
        "findings": 3,
        "fixable": 1,
        "fixable_unsafe": 1,
        "not_fixable": 1,
        "errors": 1,
        "skipped_blocks": 0,
        "by_rule": {"PF301": 3},
    }


def test_statistics(program: Program) -> None:
    write(a=BAD)
    counts = "3  PF301 [*] stale-object  1 safe, 1 unsafe, 1 no fix\n"
    assert program("check", "--statistics", "-q").out == counts
    assert program("check", "--statistics", "--output-format", "concise").out.startswith(f"{counts}Found 3 findings")
    done = program("check", "--statistics", "--output-format", "json")
    assert (len(json.loads(done.out)["findings"]), done.err) == (3, counts)


@pytest.mark.parametrize(("word", "mark"), [("safe", "[*]"), ("unsafe", "[!]"), ("unfixable", "[ ]")])
def test_statistics_mark_a_rule_as_its_best_fix_is_marked(word: str, mark: str, program: Program) -> None:
    write(a=f"{fakes.NEEDLES}x = {word}\n")
    assert program("check", "--statistics", "-q").out.startswith(f"1  PF301 {mark} stale-object  1 ")


def test_a_report_can_go_to_a_file(program: Program) -> None:
    write(a=BAD)
    done = program("check", "--output-format", "json", "--output-file", "report.json", "--color", "always")
    assert (done.status, done.out) == (1, "")
    assert len(json.loads(Path("report.json").read_text())["findings"]) == 3
    done = program("check", "--output-file", "no/such/folder")
    assert done.status == 2
    assert "no/such/folder" in done.err


def test_standard_input(program: Program) -> None:
    done = program("check", "-", "--output-format", "concise", "-q", stdin=BAD.encode())
    assert done.out == CONCISE.replace("a.py", "<stdin>")
    done = program("check", "-", "--stdin-filename", "b.py", "--output-format", "concise", "-q", stdin=BAD.encode())
    assert done.out == CONCISE.replace("a.py", "b.py")
    book = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": BAD}]}).encode()
    done = program("check", "-", "--stdin-filename", "b.ipynb", "--output-format", "concise", "-q", stdin=book)
    assert done.out.startswith("b.ipynb:cell 1:2:5: PF301")


# --- diff ----------------------------------------------------------------------------------------------------------

PATCH = """\
--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 import accelerate  # .prepare
-x = safe, unsafe
+x = good, unsafe
 y = stays
"""


def test_diff_is_alone_on_standard_output(program: Program, tmp_path: Path) -> None:
    write(a=BAD, b=GOOD)
    done = program("diff")
    assert done == Done(1, PATCH, "Would fix 1 finding in 1 file, 2 left, 1 of them fixable with `--unsafe-fixes`\n")
    assert program("diff", "-q").err == ""
    for name in ("a.py", str(tmp_path / "a.py")):
        assert program("diff", "-q", "-", "--stdin-filename", name, stdin=BAD.encode()) == Done(1, PATCH, "")


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_diff_gives_what_fix_writes(program: Program, tmp_path: Path) -> None:
    book = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": BAD}]}, indent=1)
    files = {
        "a.py": BAD.encode(),
        "deep/b b.py": b"\xef\xbb\xbf" + BAD.replace("\n", "\r\n").encode().rstrip(),
        "deep/c.py": b"# coding: latin-1\n# \xe9\n" + BAD.encode(),
        "d.ipynb": book.encode(),
    }
    for name, raw in files.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(raw)
    patch = program("diff", "--unsafe-fixes").out.encode("utf-8", "surrogateescape")
    assert program("fix", "--unsafe-fixes").status == 1
    fixed = {name: Path(name).read_bytes() for name in files}
    assert all(fixed[name] != files[name] for name in files)
    for name, raw in files.items():
        Path(name).write_bytes(raw)
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    assert {name: Path(name).read_bytes() for name in files} == fixed


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_diff_names_the_file_behind_a_link(program: Program) -> None:
    Path("real").mkdir()
    Path("real/a.py").write_text(FIXABLE)
    Path("link.py").symlink_to("real/a.py")
    Path("folder").symlink_to("real")
    for named in ("link.py", "folder"):
        patch = program("diff", "-q", named).out.encode()
        subprocess.run(["git", "apply", "-"], input=patch, check=True)
        assert Path("link.py").is_symlink()
        assert Path("real/a.py").read_text() == FIXABLE.replace("safe", "good")
        Path("real/a.py").write_text(FIXABLE)


def test_a_diff_that_does_not_hold_is_an_error(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=BAD)
    monkeypatch.setattr("prepare_fix.reporting.unified_diff.build_diff", lambda *_: PATCH.replace("good", "x").encode())
    done = program("diff")
    assert (done.status, done.out) == (2, "")
    assert "a.py: the diff of this file does not give what a fix would write" in done.err


def test_outside_of_the_current_folder(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / "a.py").write_text(BAD)
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = program("diff", "../work", "-q")
    assert done.out == PATCH
    assert done.err == f"prepare-fix: paths outside of the current folder are relative to {tmp_path / 'work'}\n"


def test_outside_of_any_work_tree(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path is one that can be opened; only a patch has to begin it elsewhere, and says where."""
    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "work" / "a.py"
    file.write_text(BAD)
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = program("check", "../work", "--output-format", "concise", "-q")
    assert (done.out, done.err) == (CONCISE.replace("a.py", str(file)), "")
    done = program("diff", "../work", "-q")
    assert done.out == PATCH.replace("/a.py", str(file))
    assert done.err == "prepare-fix: paths that are in no git work tree are relative to / in the patch\n"
    done = program("diff", "../work", "-q", "--output", "patches")
    assert Path("patches", f"{file.parts[1]}.patch").read_text() == PATCH.replace("/a.py", str(file))
    assert done.err == f"prepare-fix: patches/{file.parts[1]}.patch is to be applied in /\n"


# --- fix -----------------------------------------------------------------------------------------------------------


def test_fix_tells_what_is_left(program: Program) -> None:
    write(a=BAD)
    done = program("fix")
    assert Path("a.py").read_text() == BAD.replace("x = safe", "x = good")
    assert done.status == 1
    assert done.out == TEXT[TEXT.index("a.py:2:11") :].replace("= safe", "= good")
    assert done.err == "Fixed 1 finding in 1 file, 2 left, 1 of them fixable with `--unsafe-fixes`\n"
    assert program("fix", "-q").err == ""
    write(a=FIXABLE)
    assert program("fix") == Done(0, "", "Fixed 1 finding in 1 file\n")
    assert program("fix") == Done(0, "", "1 file checked, no findings\n")


@pytest.mark.parametrize(
    ("raw", "after", "status"),
    [
        (FIXABLE.encode(), FIXABLE.replace("safe", "good").encode(), 0),
        (GOOD.encode(), GOOD.encode(), 0),
        (f"{fakes.NEEDLES}x = (\r\n".encode(), f"{fakes.NEEDLES}x = (\r\n".encode(), 2),
        (fakes.NEEDLES.encode() + b"\xff", fakes.NEEDLES.encode() + b"\xff", 2),
        (b"\xef\xbb\xbf" + FIXABLE.encode()[:-1], b"\xef\xbb\xbf" + FIXABLE.replace("safe", "good").encode()[:-1], 0),
    ],
)
def test_fix_of_standard_input_prints_the_source(program: Program, raw: bytes, after: bytes, status: int) -> None:
    done = program("fix", "-", stdin=raw)
    assert done.out.encode("utf-8", "surrogateescape") == after
    assert done.status == status
    assert done.err != ""


def test_a_file_without_permission_is_refused(program: Program) -> None:
    write(a=BAD, b=FIXABLE)
    Path("a.py").chmod(0o444)
    done = program("fix")
    assert done.status == 2
    assert Path("a.py").read_text() == BAD
    assert Path("b.py").read_text() == FIXABLE.replace("safe", "good")
    assert "prepare-fix: error: a.py: no permission to write the file" in done.err
    assert done.out == TEXT, "the findings of what stays are those that it has"


# --- colour --------------------------------------------------------------------------------------------------------


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("command", ["check", "diff", "fix"])
@pytest.mark.parametrize(
    ("arguments", "variables", "terminal", "coloured"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"TERM": "dumb"}, True, False),
        ([], {"FORCE_COLOR": "1"}, False, True),
        ([], {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        (["--color", "always"], {"NO_COLOR": "1"}, False, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colour(
    program: Program,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    arguments: list[str],
    variables: dict[str, str],
    terminal: bool,
    coloured: bool,
) -> None:
    write(a=BAD)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", (Terminal if terminal else io.TextIOWrapper)(buffer, encoding="utf-8"))
    program(command, *arguments)
    sys.stdout.flush()
    # FORCE_COLOR never spoils a patch in a pipe.
    expected = coloured and not (command == "diff" and "FORCE_COLOR" in variables)
    assert (b"\x1b[" in buffer.getvalue()) is expected


# --- the rest ------------------------------------------------------------------------------------------------------


def test_explain(program: Program) -> None:
    assert program("explain") == Done(
        0,
        "PF001  unused-ignore: a comment silences nothing\nPF101  crashing: Fails\n"
        "PF301  stale-object: A word is found\n",
        "",
    )
    done = program("explain", "PF301")
    page = done.out
    assert (
        done
        == program("explain", "stale-object")
        == program("explain", "pf301")
        == program("explain", "Stale-Object")
        == Done(0, page, "")
    )
    assert page.startswith("# PF301 stale-object\n\nA page.\n\nWhat it does: finds words.\n")
    assert "# prepare-fix: ignore[PF301]" in page
    assert program("explain", "PF101", "PF301").out.endswith(f"\n\n{page}")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("PF3", "PF3, but there are PF301 "),
        ("pf", "pf, but there are PF001, PF101, PF301 "),
        ("pf310", "pf310, did you mean PF301 stale-object? "),
        ("stale-objekt", "stale-objekt, did you mean PF301 stale-object? "),
        ("", " (prepare-fix explain"),
        ("nothing like it", "nothing like it (prepare-fix explain lists them all)"),
    ],
)
def test_no_such_rule(program: Program, asked: str, told: str) -> None:
    done = program("explain", "PF301", asked)
    assert (done.status, done.out) == (2, "")
    assert f"no such rule: {told}" in done.err


def test_usage(program: Program) -> None:
    assert program("--version") == Done(0, f"prepare-fix {__version__}\n", "")
    assert program("check", "--help").status == 0
    assert "Usage: prepare-fix" in program("--help").out
    done = program("nonsense")
    assert done.status == 2
    assert "No such command" in done.err
    done = program("check", "--select", "PF9")
    assert done.err == "prepare-fix: error: select: no rule has a code that begins with 'PF9'\n"


def test_an_interrupt_has_no_traceback(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(source: object, find_module: object = None) -> None:
        raise KeyboardInterrupt

    write(a=BAD)
    monkeypatch.setattr(trace, "build_trace", interrupt)
    done = program("check")
    assert (done.status, done.out, done.err.strip()) == (
        128 + signal.SIGINT,
        "",
        "prepare-fix: interrupted: 0 of 1 file looked at",
    )


def run(arguments: list[str], **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "prepare_fix", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, **options)  # type: ignore[call-overload, no-any-return]


def test_the_version_is_told_before_anything_costly_is_imported() -> None:
    script = "import sys; from prepare_fix.cli import main; main(['--version']); print('click' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == f"prepare-fix {__version__}\nFalse\n"


def test_nothing_of_the_checked_project_is_imported(tmp_path: Path) -> None:
    for name in ("click", "libcst", "unidiff", "platformdirs", "accelerate", "torch", "sitecustomize"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "a.py").write_text((Path(__file__).parent.parent / "examples" / "classifier.py").read_text())
    done = run(["fix"], stdout=subprocess.PIPE, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"Fixed 1 finding")


def test_a_closed_pipe_has_no_traceback(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.py").write_text(f"{fakes.NEEDLES}x = (\n")
    reader, writer = os.pipe()
    os.close(reader)
    done = run(["check", "--output-format", "json", str(tmp_path)], stdout=writer)
    os.close(writer)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_a_file_name_with_line_ends_stays_on_its_line(program: Program) -> None:
    Path("a\nb\x1b[0m\x85\u2028.py").write_text(f"{fakes.NEEDLES}x = stays\n")
    done = program("check", "--output-format", "concise", "-q")
    assert done.out == "a\\nb\\x1b[0m\\x85\\u2028.py:2:5: PF301 `stays` is found\n"
    assert program("check", "c\nd.py").err == "prepare-fix: error: c\\nd.py: No such file or directory\n"


@pytest.mark.parametrize("verb", ["check", "fix", "undo", "config"])
def test_a_folder_that_is_gone_is_told(tmp_path: Path, verb: str) -> None:
    script = [
        "sh",
        "-c",
        'mkdir gone && cd gone && rmdir ../gone && "$@"',
        "sh",
        sys.executable,
        "-m",
        "prepare_fix",
        verb,
    ]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.splitlines()[-1] == b"prepare-fix: error: the current folder is gone"


def test_standard_input_that_can_not_be_read_is_told() -> None:
    with open(os.devnull, "wb") as for_writing:
        done = run(["check", "-"], stdin=for_writing, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"Error: Could not open file 'standard input': Bad file descriptor\n"


def test_a_file_name_that_is_no_text_is_printed_somehow(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.py"
    with open(name, "wb") as file:
        file.write(f"{fakes.NEEDLES}x = (\n".encode())
    done = run(["check", "."], stdout=subprocess.PIPE, cwd=tmp_path)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert b".py:2: " in done.stderr
