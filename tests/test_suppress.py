"""Comments that silence, in all their forms; those that silence nothing; and comments and baselines for old code."""

from __future__ import annotations

import json
import textwrap
from inspect import getdoc
from pathlib import Path

import fakes
import pytest
from program import Done, Program

from prepare_fix.findings import FileResult, Finding
from prepare_fix.pipeline import check_document, fix_document
from prepare_fix.settings import Settings
from prepare_fix.sources.document import document_from_text
from prepare_fix.sources.text import SourceText, Span
from prepare_fix.suppress import UnusedIgnore, read_tokens


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.install(monkeypatch)


def check(text: str, settings: Settings | None = None) -> FileResult:
    return check_document(document_from_text(text, "a.py"), settings or Settings())


def told(text: str, settings: Settings | None = None) -> list[str]:
    """Return code and line of what is found; every finding of the stand-in rule is PF301."""
    result = check(text, settings)
    assert result.source is not None or not result.findings
    return [f"{finding.rule}:{result.source.locate(finding.span.start).line}" for finding in result.findings]  # type: ignore[union-attr]


HEAD = "# prepare-fix: "
SILENT = [
    "x = safe  # prepare-fix: ignore[PF301]",
    "x = safe  # prepare-fix: ignore[PF301] with a reason, and a second",
    "x = safe  # prepare-fix: ignore[PF3]",
    "x = safe  # prepare-fix: ignore[ALL]",
    "x = safe  #prepare-fix:ignore[PF301]",
    "x = safe  # prepare-fix:  ignore [ PF301 ]",
    "x = safe  # noqa  # prepare-fix: ignore[PF301]",
    "x = safe  # prepare-fix: ignore[PF301]  # noqa: E501",
    "x = safe, 'é'  # prepare-fix: ignore[PF301]",
    "x = '\U0001f600', safe  # prepare-fix: ignore[PF301]",
    "x = (  # prepare-fix: ignore[PF301]\n    1)  ",
    "x = f(\n    safe,  # prepare-fix: ignore[PF301]\n)",
    "x = 1, \\\n    safe  # prepare-fix: ignore[PF301]",
    # the next line
    "# prepare-fix: ignore-next-line[PF301]\nx = safe",
    "# prepare-fix: ignore-next-line[PF301] why\n\n# another comment\n\nx = safe",
    "y = 1  # prepare-fix: ignore-next-line[PF301]\nx = safe",
    "# prepare-fix: ignore[PF301]\nx = safe",
    "if x:\n    # prepare-fix: ignore[PF301]\n    y = safe",
    "f(\n    # prepare-fix: ignore[PF301]\n    safe,\n)",
    "# prepare-fix: ignore[PF301] one\n# prepare-fix: ignore[PF3] two\nx = safe",
    # the file
    "# prepare-fix: ignore-file[PF301]\nx = safe\ny = safe",
    "'''Doc.'''\n# prepare-fix: ignore-file[PF3] why\nimport a\nx = safe",
    "# prepare-fix: skip-file\nx = safe",
    "#!python\n# one\n\n# prepare-fix: skip-file generated\nimport a\nx = safe",
    '"""Docstring."""  # prepare-fix: skip-file\nx = safe',
    "# prepare-fix: skip-file\nx = 1  # prepare-fix: ignore[PF301]",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("text", SILENT)
def test_silenced(text: str, newline: str) -> None:
    expected = ["PF001:1"] if text.startswith("x = (  #") else []
    assert told(text.replace("\n", newline)) == expected


HEARD = [
    # text, what is still found
    ("x = '# prepare-fix: ignore[PF301]', safe", ["PF301:1"]),
    ("x = '''\n# prepare-fix: ignore[PF301]\n''', safe", ["PF301:3"]),
    ("x = '''\n# prepare-fix: ignore-file[PF301]\n'''\ny = safe", ["PF301:4"]),
    ('"""# prepare-fix: skip-file"""\nx = safe', ["PF301:2"]),
    ("x = safe  # prepare-fix: ignore[PF101]", ["PF301:1", "PF001:1"]),
    ("x = safe\n# prepare-fix: ignore[PF301]", ["PF301:1", "PF001:2"]),
    ("# prepare-fix: ignore[PF301]\n\ny = 1\nx = safe", ["PF001:1", "PF301:4"]),
    ("# prepare-fix: ignore-next-line[PF301]\nx = 1\n", ["PF001:1"]),
    ("x = safe  # prepare-fix: ignore[PF301, PF101]", ["PF001:1"]),
    ("x = safe  # prepare-fix: ignore[PF301, PF999]", ["PF001:1"]),
    ("x = safe  # prepare-fix: ignore[PF101, PF999]", ["PF301:1", "PF001:1", "PF001:1"]),
    ("x = safe  # prepare-fix: ignore[pf301]", ["PF301:1", "PF001:1"]),
    ("# prepare-fix: ignore-file[PF301]\nx = 1", ["PF001:1"]),
    # what can't be meant so
    ("x = safe  # prepare-fix: ignore", ["PF301:1", "PF001:1"]),
    ("x = safe  # prepare-fix: ignore[]", ["PF301:1", "PF001:1"]),
    ("x = safe  # prepare-fix: disable[PF301]", ["PF301:1", "PF001:1"]),
    ("x = safe  # prepare-fix:", ["PF301:1", "PF001:1"]),
    ("# prepare-fix: skip-files\nx = safe", ["PF001:1", "PF301:2"]),
    ("import a\n# prepare-fix: skip-file\nx = safe", ["PF001:2", "PF301:3"]),
    ("import a\n# prepare-fix: ignore-file[PF301]\nx = safe", ["PF001:2", "PF301:3"]),
    ("'''Doc.'''\n'''No doc.'''\n# prepare-fix: skip-file\nx = safe", ["PF001:3", "PF301:4"]),
    # no comment of ours
    ("x = safe  # prepare-fixes: ignore[PF301]", ["PF301:1"]),
    ("x = safe  # see prepare-fix: ignore[PF301]", ["PF301:1"]),
]


@pytest.mark.parametrize(("text", "expected"), HEARD)
def test_still_found(text: str, expected: list[str]) -> None:
    assert told(text) == expected


UNASKED = [
    # settings, what is found in a file with an ignore of PF301 and one of PF101 that silence nothing
    (Settings(), ["PF001:1", "PF001:2"]),
    (Settings(select=("PF3", "PF001")), ["PF001:1"]),
    (Settings(select=("PF3",)), []),
    (Settings(ignore=("PF001",)), []),
    (Settings(ignore=("PF301",)), ["PF001:2"]),
    (Settings(silenced=("PF001",)), []),
]


@pytest.mark.parametrize(("settings", "expected"), UNASKED)
def test_what_was_not_looked_for_may_be_there(settings: Settings, expected: list[str]) -> None:
    text = "x = 1  # prepare-fix: ignore[PF301]\ny = 1  # prepare-fix: ignore[PF101]\n"
    assert told(text, settings) == expected


def test_a_rule_that_failed_may_have_had_something_to_say() -> None:
    assert told("CRASH = 1  # prepare-fix: ignore[PF101]\n") == []
    assert told("CRASH = 1  # prepare-fix: ignore[PF301]\n") == ["PF001:1"]


@pytest.mark.parametrize(
    "form",
    [
        "x = 1  # prepare-fix: ignore[PF301, PF001]",
        "# prepare-fix: ignore-file[PF001]\nx = 1  # prepare-fix: ignore[PF301]",
    ],
)
def test_an_unused_comment_can_be_kept_on_purpose(form: str) -> None:
    assert told(form) == []


def test_what_the_tokenizer_does_not_understand_is_read_as_far_as_it_goes() -> None:
    assert [token.string for token in read_tokens(SourceText("x = 1 # a\n'''"))][:4] == ["x", "=", "1", "# a"]


def test_messages() -> None:
    texts = {
        "x = 1  # prepare-fix: ignore[PF301]": "nothing there is silenced by `PF301`",
        "x = 1  # prepare-fix: ignore[pf301]": "no rule has a code that begins with `pf301`, did you mean `PF301`?",
        "x = 1  # prepare-fix: ignore[pf1]": "no rule has a code that begins with `pf1`, did you mean `PF1`?",
        "x = 1  # prepare-fix: ignore[PF310]": "no rule has a code that begins with `PF310`, did you mean `PF301`?",
        "# prepare-fix: ignore-file[typo, PF002]\nx = 1": "no rule has a code that begins with `typo`; "
        "no rule has a code that begins with `PF002`, did you mean `PF001`?",
        "x = 1  # prepare-fix: ignore[PF301,PF1] reason": "nothing there is silenced by `PF301`, `PF1`",
        "# prepare-fix: ignore-file[PF1]": "nothing in this file is silenced by `PF1`",
        "x = 1  # prepare-fix: ignore": "`ignore` has to name the rules that it silences: `ignore[PF301]`",
        "x = 1\n# prepare-fix: skip-file": "`skip-file` has to stand in front of the first statement",
        "x = 1\n# prepare-fix: ignore-file[PF1]": "`ignore-file` has to stand in front of the first statement",
        "x = 1  # prepare-fix: nonsense": "`nonsense` is no comment that prepare-fix knows; there are `ignore[...]`, "
        "`ignore-next-line[...]`, `ignore-file[...]` and `skip-file`",
    }
    for text, message in texts.items():
        (finding,) = check(text).findings
        assert (finding.rule, finding.name, finding.message) == ("PF001", "unused-ignore", message)
        assert "#" not in finding.fingerprint.split("#", 1)[0]


REMOVED = [
    # before, after a fix
    ("x = 1  # prepare-fix: ignore[PF301] reason\ny = 1\n", "x = 1\ny = 1\n"),
    ("x = 1\t# prepare-fix: ignore[PF301]", "x = 1"),
    ("x = 1  # noqa  # prepare-fix: ignore[PF301]\n", "x = 1  # noqa\n"),
    ("x = 1  # prepare-fix: ignore[PF301]  # noqa\n", "x = 1  # noqa\n"),
    ("x = 1\n# prepare-fix: ignore[PF301]\ny = 1\n", "x = 1\ny = 1\n"),
    ("if x:\n    # prepare-fix: ignore[PF301]\n    y = 1\n", "if x:\n    y = 1\n"),
    ("x = 1\n# prepare-fix: ignore[PF301]", "x = 1\n"),
    ("# prepare-fix: ignore-file[PF301]\nx = 1\n", "x = 1\n"),
    ("# noqa  # prepare-fix: ignore-file[PF301]\nx = 1\n", "# noqa\nx = 1\n"),
    ("x = stays  # prepare-fix: ignore[PF101, PF301] why\n", "x = stays  # prepare-fix: ignore[PF301] why\n"),
    ("x = safe  # prepare-fix: ignore[PF101]\n", "x = good\n"),
    ("x = 1  # prepare-fix: ignore[PF302] why\n", "x = 1  # prepare-fix: ignore[PF302] why\n"),
    ("x = 1  # prepare-fix: ignore[PF302, PF301]\n", "x = 1  # prepare-fix: ignore[PF302]\n"),
    ("x = 1  # prepare-fix: ignore\n", "x = 1  # prepare-fix: ignore\n"),
    ("x = 'é\U0001f600'  # prepare-fix: ignore[PF301]\n", "x = 'é\U0001f600'\n"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), REMOVED)
def test_a_fix_removes_what_silences_nothing(before: str, after: str, newline: str) -> None:
    before, after = before.replace("\n", newline), after.replace("\n", newline)
    result = fix_document(document_from_text(before, "a.py"), Settings())
    assert (result.after or before.encode()).decode() == after
    again = fix_document(document_from_text(after, "a.py"), Settings())
    assert again.after is None


def test_its_page_is_true() -> None:
    page = getdoc(UnusedIgnore) or ""
    dedented = [textwrap.dedent(page.split("```python\n")[number].split("```")[0]) for number in (1, 2)]
    result = fix_document(document_from_text(dedented[0], "a.py"), Settings())
    assert result.after is not None
    assert result.after.decode() == dedented[1]


def test_a_notebook_is_cleaned_cell_by_cell(program: Program) -> None:
    cells = [
        "import accelerate  # .prepare\n# prepare-fix: ignore[PF301]",
        "x = safe  # prepare-fix: ignore[PF301]\n%time y = 1",
    ]
    book = {"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    Path("a.ipynb").write_text(json.dumps(book))
    assert program("check", "-q").status == 0, "the next line of code may stand in the next cell"
    book["cells"][1]["source"] = "x = 1"  # type: ignore[index]
    Path("a.ipynb").write_text(json.dumps(book))
    assert program("fix", "-q").status == 0
    assert json.loads(Path("a.ipynb").read_text())["cells"][0]["source"] == "import accelerate  # .prepare"


# --- check --add-ignores -------------------------------------------------------------------------------------------

ADDED = [
    ("x = safe\n", "x = safe  # prepare-fix: ignore[PF301]\n"),
    ("x = safe, safe_b", "x = safe, safe_b  # prepare-fix: ignore[PF301]"),
    ("x = safe  # why\n", "x = safe  # why  # prepare-fix: ignore[PF301]\n"),
    ("x = safe   \n", "x = safe  # prepare-fix: ignore[PF301]   \n"),
    ("if x:\n\ty = safe\n", "if x:\n\ty = safe  # prepare-fix: ignore[PF301]\n"),
    ("x = f(\n    safe,\n    1)\n", "x = f(\n    safe,  # prepare-fix: ignore[PF301]\n    1)\n"),
    ("x = safe, \\\n    1\n", "# prepare-fix: ignore-next-line[PF301]\nx = safe, \\\n    1\n"),
    ("if x:\n    y = safe, '''\n'''\n", "if x:\n    # prepare-fix: ignore-next-line[PF301]\n    y = safe, '''\n'''\n"),
    ("x = '''\n''', safe\n", "x = '''\n''', safe  # prepare-fix: ignore[PF301]\n"),
    ("x = 1, \\\n  safe\n", "x = 1, \\\n  safe  # prepare-fix: ignore[PF301]\n"),
    # nowhere to put it
    ("x = 1, \\\n  safe, \\\n  2\n", None),
    ("x = '''\n''', safe, '''\n'''\n", None),
    ("x = 1\n", None),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), ADDED)
def test_comments_are_added(program: Program, before: str, after: str | None, newline: str) -> None:
    before = (fakes.NEEDLES + before).replace("\n", newline)
    expected = before if after is None else (fakes.NEEDLES + after).replace("\n", newline)
    Path("a.py").write_bytes(before.encode())
    done = program("check", "--add-ignores")
    assert Path("a.py").read_bytes().decode() == expected
    assert done.status == ("safe" in before and after is None)
    assert ("PF301" in done.out) is bool(done.status)
    assert program("check", "--add-ignores", "-q").out == done.out, "the second time there is nothing to add"
    assert Path("a.py").read_bytes().decode() == expected


def test_comments_are_added_to_those_that_are_there(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fakes.WordRule, "code", "PF302")
    Path("a.py").write_text(f"{fakes.NEEDLES}CRASH = safe  # prepare-fix: ignore[PF101] why\n")
    program("check", "--add-ignores")
    assert Path("a.py").read_text() == f"{fakes.NEEDLES}CRASH = safe  # prepare-fix: ignore[PF101, PF302] why\n"


def test_a_comment_that_silences_nothing_is_not_in_the_way(program: Program) -> None:
    text = f"{fakes.NEEDLES}x = safe  # prepare-fix: ignore[PF302] why\n"
    Path("a.py").write_text(text)
    done = program("check", "--add-ignores")
    assert (done.status, done.err) == (1, "Silenced 1 finding in 1 file\n")
    assert "PF001" in done.out
    assert Path("a.py").read_text() == text.replace("PF302", "PF302, PF301")


def test_adding_comments_is_told_and_can_be_undone(program: Program) -> None:
    text = f"{fakes.NEEDLES}x = safe\ny = stays, unsafe\n"
    Path("a.py").write_text(text)
    assert program("check", "--add-ignores") == Done(0, "", "Silenced 3 findings in 1 file\n")
    assert program("check", "-q") == Done(0, "", "")
    assert program("undo").status == 0
    assert Path("a.py").read_text() == text
    Path("a.py").chmod(0o444)
    done = program("check", "--add-ignores", "-q")
    assert done.status == 2
    assert "a.py: no permission to write the file" in done.err
    assert program("check", "--add-ignores", "-", stdin=b"").status == 2


def test_comments_that_would_bring_findings_are_not_added(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    check = fakes.WordRule.check

    def with_grudge(self: fakes.WordRule, trace: object):  # type: ignore[no-untyped-def]
        yield from check(self, trace)
        assert isinstance(trace, SourceText)
        if "ignore" in trace.text:
            yield Finding("PF301", "grudge", "`grudge` is found", "", Span(0, 1), "grudge")

    monkeypatch.setattr(fakes.WordRule, "check", with_grudge)
    text = f"{fakes.NEEDLES}x = safe\n"
    Path("a.py").write_text(text)
    done = program("check", "--add-ignores")
    assert (done.status, Path("a.py").read_text()) == (2, text)
    assert "a.py: the comments would bring new findings" in done.err


def test_comments_in_a_notebook(program: Program) -> None:
    cells = ["import accelerate  # .prepare\nx = safe", "%time y = safe", "z = safe, \\\n 1"]
    book = {"nbformat": 4, "cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    Path("a.ipynb").write_text(json.dumps(book))
    assert program("check", "--add-ignores").status == 0
    assert [cell["source"] for cell in json.loads(Path("a.ipynb").read_text())["cells"]] == [
        "import accelerate  # .prepare\nx = safe  # prepare-fix: ignore[PF301]",
        "%time y = safe  # prepare-fix: ignore[PF301]\n# prepare-fix: ignore-next-line[PF301]",
        "z = safe, \\\n 1",
    ]


# --- baseline ------------------------------------------------------------------------------------------------------


def test_only_new_findings_count(program: Program) -> None:
    Path("d").mkdir()
    Path("d/a.py").write_text(f"{fakes.NEEDLES}x = safe\ny = safe, stays\n")
    Path("b.py").write_text(f"{fakes.NEEDLES}x = 1\n")
    assert program("check", "--write-baseline", "known.json") == Done(0, "", "Wrote 3 findings to known.json\n")
    content = {"version": 1, "files": {"d/a.py": {"PF301:safe": 2, "PF301:stays": 1}}}
    assert json.loads(Path("known.json").read_text()) == content
    done = program("check", "--baseline", "known.json")
    assert done == Done(0, "2 files checked, no findings\n", "3 findings of the baseline left out\n")
    # Lines move, and a third of the same kind comes.
    Path("d/a.py").write_text(f"{fakes.NEEDLES}\n\ny = safe, stays, safe\nx = safe, unsafe\n")
    done = program("check", "--baseline", "known.json", "--output-format", "concise", "-q")
    assert (done.status, done.err) == (1, "")
    assert [line.split(" ")[0] for line in done.out.splitlines()] == ["d/a.py:5:5:", "d/a.py:5:11:"]
    Path("b.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    assert "b.py" in program("check", "--baseline", "known.json").out, "known in another file"
    Path("b.py").write_text(f"{fakes.NEEDLES}x = (\n")
    assert program("check", "--write-baseline", "known.json").status == 2


def test_a_baseline_moves_with_its_folder(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one" / "d").mkdir(parents=True)
    (tmp_path / "one" / "a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    (tmp_path / "one" / "prepare-fix.toml").write_text('baseline = "d/known.json"\n')
    program("check", "one", "--write-baseline", "one/d/known.json")
    (tmp_path / "one").rename(tmp_path / "two")
    monkeypatch.chdir(tmp_path / "two" / "d")
    assert program("check", "..").status == 0, "named in the settings file, relative to that"
    assert program("check", "..", "--isolated").status == 1
    raw = f"{fakes.NEEDLES}x = safe".encode()
    assert program("check", "-", "--stdin-filename", "../a.py", stdin=raw).status == 0


def test_what_is_known_is_left_as_it_is(program: Program) -> None:
    old = f"{fakes.NEEDLES}x = safe\n"
    Path("a.py").write_text(old)
    program("check", "--write-baseline", "known.json", "-q")
    Path("prepare-fix.toml").write_text('baseline = "known.json"\n')
    note = "1 finding of the baseline left out\n"
    assert program("diff") == Done(0, "", f"1 file checked, no findings\n{note}")
    assert program("fix") == Done(0, "", f"1 file checked, no findings\n{note}")
    assert program("fix", "-", "--stdin-filename", "a.py", "-q", stdin=old.encode()).out == old
    assert program("check", "--add-ignores", "-q").status == 0
    assert Path("a.py").read_text() == old
    # A second mistake of the same kind is new; which of the two is known can't be told, so the first is.
    Path("a.py").write_text(f"{old}y = safe\nz = stays\n")
    assert "+y = good" in program("diff").out
    done = program("fix", "-q")
    assert (done.status, done.out.split(" ")[0]) == (1, "a.py:4:5:")
    assert Path("a.py").read_text() == f"{old}y = good\nz = stays\n"
    assert program("fix", "-q", "--baseline", "").status == 1
    assert Path("a.py").read_text() == f"{fakes.NEEDLES}x = good\ny = good\nz = stays\n"


def test_what_was_known_is_no_reason_against_a_new_baseline(program: Program) -> None:
    Path("a.py").write_text(f"{fakes.NEEDLES}x = safe\n")
    Path("prepare-fix.toml").write_text('baseline = "known.json"\n')
    assert program("check").err == "prepare-fix: error: known.json: No such file or directory\n"
    for _ in range(2):
        assert program("check", "--write-baseline", "known.json").err == "Wrote 1 finding to known.json\n"
    assert program("check").status == 0
    assert 'baseline = "known.json"' in program("config").out
    assert program("check", "--baseline", "").status == 1


BROKEN = [
    "",
    "[]",
    "{}",
    '{"version": 2, "files": {}}',
    '{"version": 1, "files": []}',
    '{"version": 1, "files": {"a": [1]}}',
    '{"version": 1, "files": {"a": {"b": "c"}}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("content", BROKEN)
def test_what_is_no_baseline_is_wrong_usage(program: Program, content: str) -> None:
    Path("known.json").write_text(content)
    done = program("check", "--baseline", "known.json")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("prepare-fix: error: known.json: ")
    assert program("check", "--baseline", "missing.json").err == (
        "prepare-fix: error: missing.json: No such file or directory\n"
    )
    assert program("check", "--write-baseline", "no/such/folder").status == 2


def test_a_baseline_is_replaced_as_a_whole(program: Program) -> None:
    Path("real.json").write_text("old")
    Path("real.json").chmod(0o640)
    Path("known.json").symlink_to("real.json")
    assert program("check", "--write-baseline", "known.json", "-q") == Done(0, "", "")
    assert Path("known.json").is_symlink()
    assert json.loads(Path("real.json").read_text()) == {"version": 1, "files": {}}
    assert Path("real.json").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["known.json", "real.json"]
    assert program("check", "--write-baseline", "/dev/null").status == 0
