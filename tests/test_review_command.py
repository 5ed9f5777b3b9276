"""``prepare-fix review`` as a user meets it: questions, answers, what is written, the exit status."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import fakes
import pytest
from program import Done, Program, heed_signals
from stand_in import command, environment

from prepare_fix import apply
from prepare_fix.flow import trace
from prepare_fix.pipeline import check_document, do_file
from prepare_fix.settings import Settings


def write(**files: str) -> None:
    for name, content in files.items():
        Path(f"{name}.py").write_text(f"{fakes.NEEDLES}{content}\n")


def read(name: str) -> str:
    return Path(f"{name}.py").read_text().removeprefix(fakes.NEEDLES).removesuffix("\n")


def review(program: Program, answers: Iterable[str], *arguments: str) -> Done:
    """Run a review with a letter for each answer."""
    return program("review", *arguments, stdin="".join(f"{key}\n" for key in answers).encode())


@pytest.fixture
def editor(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have an editor that replaces text: each line of the returned file holds one session, as ``old=>new;...``."""
    folder = tmp_path_factory.mktemp("editor")
    script = folder / "editor.py"
    script.write_text(
        "import sys\n"
        f"plan = {str(folder / 'plan')!r}\n"
        "first, *rest = open(plan).read().splitlines()\n"
        "open(plan, 'w').write('\\n'.join(rest))\n"
        "text = open(sys.argv[1], newline='').read()\n"
        f"open({str(folder / 'seen')!r}, 'a').write(text)\n"
        "for pair in first.split(';'):\n"
        "    old, new = pair.split('=>')\n"
        "    assert old in text, (old, text)\n"
        "    text = text.replace(old, new)\n"
        "open(sys.argv[1], 'w', newline='').write(text)\n"
    )
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")
    return folder / "plan"


# --- questions -----------------------------------------------------------------------------------------------------


def test_story_diff_and_question(program: Program) -> None:
    write(a="x = safe\ny = 1\nz = unfixable")
    story = program("check", "-q", "--output-format", "concise").out.splitlines()[0]
    done = review(program, "y")
    assert done.out.startswith(f"\n{story}\n")
    assert done.out.endswith(
        "\n\n@@ lines 1 to 4 @@\n import accelerate  # .prepare\n-x = safe\n+x = good\n y = 1\n z = unfixable\n"
        "(1/1) Make this fix [y,n,a,d,e,u,q,?]? y\n"
    )
    assert done.err == (
        "Made 1 fix in 1 file\nprepare-fix undo takes them back\n"
        "1 finding without a fix: prepare-fix check shows what to do\n"
    )
    assert done.status == 1
    assert read("a") == "x = good\ny = 1\nz = unfixable"


def test_the_story_is_that_of_check(program: Program) -> None:
    write(a="x = safe")
    story, changes = program("check", "-q").out.split("    2 - x = safe\n")
    assert story.endswith("  fix (safe): Replace `safe`\n")
    shown = review(program, "n").out
    assert story in shown
    assert changes not in shown, "the change is shown once, with the lines around it"


def test_help_and_answers_that_are_none(program: Program) -> None:
    write(a="x = safe")
    for answer in ("?", "z", "yes", "\x1b"):
        done = review(program, [answer, "", "Y"])
        assert "y  make this fix\n" in done.out
        assert "a  make this fix and all later ones of PF301 that are as safe\n" in done.out
        assert "\x1b" not in done.out
        assert done.out.count("(1/1) Make this fix") == 3
        assert done.status == 0
        write(a="x = safe")


def test_nothing_to_take_back(program: Program) -> None:
    write(a="x = safe")
    done = review(program, "uy")
    assert "There is no decision to take back.\n(1/1)" in done.out
    assert read("a") == "x = good"


def test_the_way_back_shows_the_fix_again(program: Program) -> None:
    write(a="x = safe_a, safe_b")
    done = review(program, "yuny")
    assert done.out.count("-x = safe_a, safe_b\n+x = good, safe_b\n") == 2
    assert "-x = safe_a, safe_b\n+x = safe_a, good\n" in done.out
    assert read("a") == "x = safe_a, good"


def test_the_diff_has_what_was_taken_before(program: Program) -> None:
    write(a="x = safe_a\ny = safe_b")
    assert " x = good\n-y = safe_b\n+y = good\n" in review(program, "yy").out


def test_an_unsafe_fix_is_marked_and_says_why(program: Program) -> None:
    write(a="x = unsafe, safe")
    assert review(program, "q", "--ignore", "ALL").status == 0
    done = review(program, "yy", "--unsafe-fixes")
    assert "This fix is unsafe; the page of PF301 says:" in done.out
    assert "fix (unsafe): Replace `unsafe`" in done.out, "what was asked for needs no option"
    assert "(1/2) Make this unsafe fix [" in done.out
    assert "(2/2) Make this fix [" in done.out
    assert (read("a"), done.status) == ("x = good, good", 0)


def test_unsafe_fixes_are_not_asked_about_by_themselves(program: Program) -> None:
    write(a="x = unsafe")
    done = review(program, "y")
    assert (done.status, done.out) == (1, "")
    assert done.err == ("No fix to decide on\n1 finding with an unsafe fix: --unsafe-fixes asks about these too\n")
    assert read("a") == "x = unsafe"


def test_all_that_one_fix_mends_is_told(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def twice(self: fakes.WordRule, trace):  # type: ignore[no-untyped-def]
        for finding in check(self, trace):
            yield finding
            yield replace(finding, fingerprint=f"{finding.fingerprint} again")

    monkeypatch.setattr(fakes.WordRule, "check", twice)
    write(a="x = safe")
    done = review(program, "y")
    assert "This fix also mends 1 further finding:\na.py:2:5: PF301 [*] `safe` is found\n\n@@" in done.out
    assert done.err.startswith("Made 1 fix in 1 file\n")


def test_what_is_taken_without_a_question_is_told(program: Program) -> None:
    write(a="x = safe_a", b="y = 1\nz = safe_b")
    done = review(program, "a")
    assert done.out.endswith("? a\nTaken, as all of PF301: b.py:3: Replace `safe_b`\n")
    assert (read("a"), read("b")) == ("x = good", "y = 1\nz = good")


def test_own_lines_fit_into_80_columns(program: Program) -> None:
    folder = Path("a_folder_with_a_name", "that_is_long_as_names_are", "in_some_projects")
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(f"{fakes.NEEDLES}x = unsafe\ny = unsafe_{'x' * 30}\n")
    stories = program("check", "--unsafe-fixes", "-q").out
    done = review(program, "?a", "--unsafe-fixes")
    lines = [line for line in (done.out + done.err).splitlines() if line not in stories.splitlines()]
    assert len(lines) > 20
    assert [line for line in lines if len(line) > 80] == []


# --- what is written -----------------------------------------------------------------------------------------------


def test_nothing_is_written_before_the_end(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a="x = safe", b="y = safe")
    seen: list[str] = []
    build_trace = trace.build_trace

    def look(source, find_module=None):  # type: ignore[no-untyped-def]
        seen.append(read("a"))
        return build_trace(source, find_module)

    monkeypatch.setattr(trace, "build_trace", look)
    review(program, "yy")
    assert set(seen) == {"x = safe"}
    assert (read("a"), read("b")) == ("x = good", "y = good")


@pytest.mark.parametrize("answers", ["yq", "y"])
def test_to_quit_or_to_end_makes_what_was_taken(program: Program, answers: str) -> None:
    write(a="x = safe", b="y = safe, safe_b")
    done = review(program, answers)
    assert (read("a"), read("b")) == ("x = good", "y = safe, safe_b")
    assert done.err.startswith("Made 1 fix in 1 file, 2 not looked at\nprepare-fix undo takes them back\n")
    assert done.out.endswith("(2/3) Make this fix [y,n,a,d,e,u,q,?]? q\n")
    assert done.status == 1


def test_one_undo_takes_a_review_back(program: Program) -> None:
    write(a="x = safe", b="y = safe", c="z = safe")
    review(program, "yny")
    assert program("undo").out == "a.py: restored\nc.py: restored\n"
    assert [read(name) for name in "abc"] == ["x = safe", "y = safe", "z = safe"]


def test_all_left_changes_nothing(program: Program) -> None:
    write(a="x = safe, safe_b", b="y = safe")
    before = [path.stat().st_mtime_ns for path in sorted(Path().glob("*.py"))]
    done = review(program, "nnn")
    assert [path.stat().st_mtime_ns for path in sorted(Path().glob("*.py"))] == before
    assert done.err == "No fix made, 3 left\n"
    assert done.status == 1
    assert review(program, "nnn", "--exit-zero").status == 0


def test_the_rest_of_a_file_is_left(program: Program) -> None:
    write(a="x = safe_a, safe_b, safe_c", b="y = safe")
    done = review(program, "ydy")
    assert (read("a"), read("b")) == ("x = good, safe_b, safe_c", "y = good")
    assert done.err.startswith("Made 2 fixes in 2 files, 2 left\n")


def test_a_patch_instead(program: Program) -> None:
    write(a="x = safe", b="y = safe", c="z = safe")
    done = review(program, "yny", "--output", "my.patch")
    assert [read(name) for name in "abc"] == ["x = safe", "y = safe", "z = safe"]
    assert done.err == "Wrote 2 fixes in 2 files to my.patch, 1 left\n"
    assert done.status == 1
    subprocess.run(["git", "apply", "my.patch"], check=True)
    assert [read(name) for name in "abc"] == ["x = good", "y = safe", "z = good"]


def test_no_patch_where_nothing_was_taken(program: Program) -> None:
    write(a="x = safe")
    done = review(program, "n", "--output", "my.patch")
    assert done.err == "No fix made, 1 left\n"
    assert not Path("my.patch").exists()
    done = review(program, "y", "--output", "missing/my.patch")
    assert (done.status, read("a")) == (2, "x = safe")
    assert "missing/my.patch" in done.err


def test_notebooks_and_markdown(program: Program) -> None:
    cells = [["import accelerate # .prepare\n", "!ls"], ["x = safe_a\n", "y = safe_b"]]
    notebook = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]})
    Path("a.ipynb").write_text(notebook)
    text = f"- see\n\n  ```python\n  {fakes.NEEDLES}  z = safe_c\n  ```\n"
    Path("b.md").write_text(text)
    done = review(program, "nyy", "a.ipynb", "b.md")
    assert "@@ cell 2, lines 1 to 2 @@\n x = safe_a\n-y = safe_b\n+y = good\n" in done.out
    assert "@@ lines 4 to 5 @@\n import accelerate  # .prepare\n-z = safe_c\n+z = good\n" in done.out
    assert Path("a.ipynb").read_text() == notebook.replace("safe_b", "good")
    assert Path("b.md").read_text() == text.replace("safe_c", "good")


def test_standard_input_is_for_the_answers(program: Program) -> None:
    done = review(program, "y", "-")
    assert done.status == 2
    assert "- (standard input) can't be reviewed: it is for the answers" in done.err


def test_errors_are_told_and_the_rest_is_done(program: Program) -> None:
    write(a="x = (", b="y = safe")
    done = review(program, "y")
    assert (done.status, read("b")) == (2, "y = good")
    assert "prepare-fix: error: a.py:2: '(' was never closed" in done.err
    assert review(program, "").status == 2


# --- files that must not be written ----------------------------------------------------------------------------------


def git(*arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *name, *arguments], check=True, capture_output=True)


def test_nobody_decides_on_what_will_be_refused(program: Program) -> None:
    write(a="x = 1", b="y = safe")
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    write(a="x = safe_a")
    done = review(program, "y")
    assert "safe_a" not in done.out
    assert done.err.startswith("Left out: 1 file that would not be written (see the end)\n")
    assert "error: a.py: it has uncommitted changes: commit or stash them, or use --allow-dirty" in done.err
    assert (read("a"), read("b"), done.status) == ("x = safe_a", "y = good", 2)
    git("commit", "-am", "all")
    write(a="x = safe_b")
    assert review(program, "y", "--allow-dirty").status == 0
    write(a="x = safe_c")
    assert review(program, "y", "--output", "my.patch").status == 0, "a patch changes no file"


def test_nobody_decides_on_a_file_that_can_not_be_replaced(program: Program) -> None:
    write(a="x = safe_a", b="y = safe_b", c="z = safe_c")
    Path("a.py").chmod(0o444)
    os.link("b.py", "b.txt")
    done = review(program, "y")
    assert "Left out: 2 files that would not be written (see the end)\n" in done.err
    assert "error: a.py: no permission to write the file\n" in done.err
    assert "error: b.py: the file has 2 hard links, and replacing it would part them\n" in done.err
    assert [read(name) for name in "abc"] == ["x = safe_a", "y = safe_b", "z = good"]
    assert done.status == 2
    write(c="z = safe_c")
    assert review(program, "yyy", "--output", "my.patch").status == 0, "a patch changes no file"


def test_a_file_that_somebody_changed_meanwhile(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a="x = safe", b="y = safe")
    replace_file = apply.replace_file

    def interfere(path: str, before: bytes, after: bytes) -> None:
        if path == "a.py":
            write(a="x = 3")
        replace_file(path, before, after)

    monkeypatch.setattr(apply, "replace_file", interfere)
    done = review(program, "yy")
    assert (read("a"), read("b"), done.status) == ("x = 3", "y = good", 2)
    assert "Made 1 fix in 1 file, 1 refused\n" in done.err
    assert "error: a.py: the file changed since it was read" in done.err


def test_a_file_that_is_gone_when_its_turn_comes(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    from prepare_fix import review as model

    write(a="x = safe", b="y = safe", c="z = safe")
    take = model.Review.take

    def remove(self: model.Review) -> None:
        Path("b.py").unlink(missing_ok=True)
        take(self)

    monkeypatch.setattr(model.Review, "take", remove)
    done = review(program, "yy")
    assert (read("a"), read("c"), done.status) == ("x = good", "z = good", 2)
    assert "error: b.py: No such file or directory" in done.err


def test_fixes_that_do_not_go_together_are_told(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a="x = safe_a\ny = safe_b")
    check = fakes.WordRule.check

    def with_grudge(self: fakes.WordRule, trace):  # type: ignore[no-untyped-def]
        yield from check(self, trace)
        if trace.text.count("good") == 2:
            yield from check(self, type(trace)("unfixable"))

    monkeypatch.setattr(fakes.WordRule, "check", with_grudge)
    done = review(program, "yy")
    assert done.out.replace("\n", " ").endswith(
        "Not made beside the other fixes that you took: a.py: PF301: Replace `safe_b`: "
        "the repair would bring PF301 stale-object on line 1, to be mended with it by hand "
    )
    assert done.err.startswith("Made 1 fix in 1 file, 1 refused\n")
    assert (read("a"), done.status) == ("x = good\ny = safe_b", 1)


# --- editing -------------------------------------------------------------------------------------------------------


def test_an_edited_fix_is_shown_and_asked_about(program: Program, editor: Path) -> None:
    write(a="x = safe\ny = 1")
    editor.write_text("good=>mine\n")
    done = review(program, "ey")
    assert "As you edited it:\n@@ lines 1 to 3 @@\n import accelerate  # .prepare\n-x = safe\n+x = mine\n" in done.out
    assert (read("a"), done.status) == ("x = mine\ny = 1", 0)
    assert (editor.parent / "seen").read_text() == (
        "#~ a.py as it would be with this fix. Change the lines as you like,\n"
        "#~ save and close. Lines that begin with #~ part the places and are not taken over.\n"
        "#~ Without any other line, the fix stays as it was.\n"
        "#~ @@ lines 1 to 3\nimport accelerate  # .prepare\nx = good\ny = 1\n"
    )


def test_an_edit_that_does_not_parse_can_be_mended(program: Program, editor: Path) -> None:
    write(a="x = safe")
    editor.write_text("good=>(mine\n(mine=>(mine)\n")
    done = review(program, "eey")
    assert "That can't be taken: a.py:2: '(' was never closed" in done.out.replace("\n", " ")
    assert "e opens your text again." in done.out.replace("\n", " ")
    assert read("a") == "x = (mine)"


def test_an_edit_that_mends_nothing_says_so(program: Program, editor: Path) -> None:
    write(a="x = safe\ny = 1")
    editor.write_text("good=>safe;1=>unfixable\n")
    done = review(program, "ey")
    assert (
        "As you edited it (the repair would bring PF301 stale-object on line 3, to be mended with it by hand):\n"
        in done.out
    )
    assert read("a") == "x = safe\ny = unfixable"


def test_editors_that_change_nothing_or_fail(program: Program, editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(a="x = safe")
    monkeypatch.setenv("VISUAL", "true")
    assert "Nothing was changed.\n(1/1)" in review(program, "eq").out
    monkeypatch.setenv("VISUAL", "false")
    done = review(program, "ey")
    assert "That can't be taken: false: Editing failed" in done.out
    assert (read("a"), done.status) == ("x = good", 0)


def test_a_fix_that_is_gone_when_it_is_to_be_edited(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def one_fewer(self: fakes.WordRule, trace):  # type: ignore[no-untyped-def]
        findings = list(check(self, trace))
        yield from findings[1:] if "good" in trace.text else findings

    monkeypatch.setattr(fakes.WordRule, "check", one_fewer)
    write(a="x = safe_a\ny = safe_b\nz = safe_c")
    done = review(program, "yey")
    assert "What you took in this file changed the fix: here is what comes next.\n\na.py:4:5: PF301" in done.out
    assert read("a") == "x = good\ny = safe_b\nz = good"


@pytest.mark.parametrize("broken", ["rm", "vi 'x", 'sh -c \'rm "$0" && mkdir "$0"\''])
def test_no_editor_costs_what_was_taken(program: Program, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    write(a="x = safe\ny = safe_b")
    monkeypatch.setenv("VISUAL", broken)
    done = review(program, "yey")
    assert "That can't be taken: " in done.out  # older releases of click hand it to a shell, which says more
    assert (read("a"), done.status) == ("x = good\ny = good", 0)


def test_lines_that_part_the_places_are_missed(program: Program, editor: Path) -> None:
    write(a="x = safe")
    editor.write_text("#~ @@=>#\n")
    done = review(program, "eq")
    assert "the lines that begin with #~ @@ have to stay" in done.out.replace("\n", " ")
    assert read("a") == "x = safe"


def test_a_patch_holds_what_was_edited(program: Program, editor: Path) -> None:
    write(a="x = safe\ny = safe_b")
    editor.write_text("y = good=>y = mine\n")
    review(program, "yey", "--output", "my.patch")
    subprocess.run(["git", "apply", "my.patch"], check=True)
    assert read("a") == "x = good\ny = mine"


# --- interruption --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_review_writes_nothing(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "a.py").write_text(f"{fakes.NEEDLES}x = safe, safe_b\n")
    process = subprocess.Popen(
        command("review"), cwd=tmp_path, env=environment(), preexec_fn=heed_signals,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"y\n")
    process.stdin.flush()
    seen = b""
    while b"(2/2)" not in seen:
        seen += os.read(process.stdout.fileno(), 4096)
    time.sleep(0.2)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert err.lstrip() == b"prepare-fix: interrupted: nothing was written\n"
    assert "safe, safe_b" in (tmp_path / "a.py").read_text()


# --- against fix ---------------------------------------------------------------------------------------------------

WORDS = ["safe", "unsafe", "stays", "worsens", "refused", "1 -wide_a-wide_b- 1", "1 -wide-wide-wide- 1", "safe_a", "1"]


def scripts(seed: int) -> dict[str, str]:
    draw = random.Random(seed)
    return {
        name: "\n".join(f"v{number} = {', '.join(draw.choices(WORDS, k=2))}" for number in range(draw.randint(1, 5)))
        for name in "abc"
    }


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("option", [(), ("--unsafe-fixes",)], ids=["safe", "unsafe"])
def test_all_taken_is_what_fix_makes(program: Program, seed: int, option: tuple[str, ...]) -> None:
    write(**scripts(seed))
    fixed = program("fix", "-q", *option)
    expected = {name: read(name) for name in "abc"}
    for answers in ("y" * 60, "a" * 60):
        write(**scripts(seed))
        done = review(program, answers, *option)
        assert {name: read(name) for name in "abc"} == expected
        assert done.status == fixed.status
    write(**scripts(seed))
    review(program, "n" * 60, *option)
    assert {name: read(name) for name in "abc"} == scripts(seed)


@pytest.mark.parametrize("seed", range(12))
def test_any_choice_gives_what_was_seen(program: Program, seed: int) -> None:
    """Whatever is taken: the files parse, each fix that was made has mended its finding, and nothing new is found."""
    write(**scripts(seed))
    before = sum(len(do_file(f"{name}.py", Settings(), check_document).findings) for name in "abc")
    draw = random.Random(seed)
    done = review(program, "".join(draw.choices("yyynnud", k=80)), "--unsafe-fixes")
    results = [do_file(f"{name}.py", Settings(), check_document) for name in "abc"]
    assert [result.error for result in results] == [None] * 3
    after = sum(len(result.findings) for result in results)
    made = int(done.err.split()[1]) if done.err.startswith("Made") else 0
    assert before - after == made


def test_the_guide_tells_of_each_answer(program: Program) -> None:
    write(a="x = safe")
    told = [line[0] for line in review(program, "?").out.splitlines() if line[1:3] == "  " and line[0] != " "]
    page = (Path(__file__).parent.parent / "docs" / "guide" / "review.md").read_text(encoding="utf-8")
    rows = page[page.index("| answer | does |") : page.index("Findings that one repair mends")]
    assert [key for key in told if f"`{key}`" not in rows] == ["?"]
    assert f"[{','.join(told)}]?" in page
