"""A fix is kept only where a look at the repaired source speaks for it."""

from __future__ import annotations

import sys

import fakes
import pytest

from prepare_fix.edits import Edit
from prepare_fix.errors import SourceError
from prepare_fix.findings import Applicability, Finding
from prepare_fix.flow import trace
from prepare_fix.sources.module import module_from_text, read_module
from prepare_fix.sources.notebook import read_notebook
from prepare_fix.sources.text import Span
from prepare_fix.verify import Examination, build_fixes, examine, try_edits


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.install(monkeypatch)


def findings_of(text: str) -> tuple[Finding, ...]:
    examination = examine(module_from_text(text, "a.py"))
    return build_fixes(examination, examination.findings)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stays", "the repaired source would still have this finding"),
        ("worsens", "the repair would bring PF301 stale-object on line 2, to be mended with it by hand"),
        ("breaks", "the repaired source could not be parsed"),
        ("refused", "there is a comment in between"),
        ("unfixable", "a person has to look"),
    ],
)
def test_a_fix_that_does_not_hold_is_dropped(word: str, reason: str) -> None:
    (finding,) = findings_of(f"# import\nx = {word}\n")
    assert finding.fix is None
    assert finding.why_no_fix == reason
    assert finding.status == "not-fixable"


def test_a_fix_that_holds_is_kept() -> None:
    safe, unsafe = findings_of("x = safe\ny = unsafe\n")
    assert safe.fix is not None
    assert unsafe.fix is not None
    assert (safe.fix.title, safe.fix.applicability) == ("Replace `safe`", Applicability.SAFE)
    assert [edit.new for edit in safe.fix.edits] == ["good"]
    assert (safe.status, unsafe.status) == ("fixable", "fixable-unsafe")
    assert safe.why_no_fix == ""


def test_equal_fingerprints_are_counted() -> None:
    first, second = findings_of("x = safe\ny = safe\n")
    assert first.fingerprint == second.fingerprint
    assert first.fix is not None
    assert second.fix is not None
    stays, _ = findings_of("x = stays\ny = stays\n")
    assert stays.fix is None


def test_a_reason_tells_the_line_that_is_there() -> None:
    """The repair puts a line in front of what it brings: whoever reads of that sees the source without it."""
    old = examine(module_from_text("a = 1\nb = safe\nc = 2\n", "a.py"))
    edits = [Edit(Span(6, 6), "", "new = 0\n"), Edit(Span(19, 20), "2", "unfixable")]
    reason = try_edits(old, edits, [])
    assert reason == "the repair would bring PF301 stale-object on line 3, to be mended with it by hand"


def test_what_was_there_in_other_words_is_not_brought() -> None:
    """A repair that changes what another finding speaks of leaves that one as it was."""
    before = examine(module_from_text("f(safe, unfixable_old)\n", "a.py"))
    edits = [Edit(Span(2, 6), "safe", "good"), Edit(Span(8, 21), "unfixable_old", "unfixable_new")]
    assert try_edits(before, edits, before.findings[:1]) == (
        "PF301 stale-object on line 1 stands in the way: mend that first"
    )


def test_one_more_of_a_known_fingerprint_is_new() -> None:
    worse, _ = findings_of("x = worsens\ny = unfixable_new\n")
    assert worse.why_no_fix == "the repair would bring PF301 stale-object on line 1, to be mended with it by hand"


def test_a_repair_that_changes_nothing_is_no_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prepare_fix.codemods.render", lambda source, repairs: ())
    (finding,) = findings_of("x = safe\n")
    assert finding.why_no_fix == "the repair would change nothing"


def test_a_source_too_deep_to_rewrite_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def overflow(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("prepare_fix.codemods.render", overflow)
    (finding,) = findings_of("x = safe\n")
    assert "nested too deeply" in finding.why_no_fix


def test_a_codemod_that_fails_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("prepare_fix.codemods.render", fail)
    (finding,) = findings_of("x = safe\n")
    assert (finding.fix, finding.why_no_fix) == (
        None,
        "prepare-fix could not write the repair: ZeroDivisionError: planted",
    )


def test_a_character_that_the_encoding_lacks_is_a_reason() -> None:
    examination = examine(read_module(b"# coding: latin-1\nx = foreign\n", "a.py"))
    (finding,) = build_fixes(examination, examination.findings)
    assert "can't be written in iso-8859-1" in finding.why_no_fix


def test_in_a_notebook_the_reason_names_the_cell() -> None:
    raw = (
        b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a"}, {"cell_type": "code", "source": "worsens"}]}'
    )
    examination = examine(read_notebook(raw, "a.ipynb"))
    (finding,) = build_fixes(examination, examination.findings)
    assert finding.why_no_fix == (
        "the repair would bring PF301 stale-object on line 1 of cell 2, to be mended with it by hand"
    )


def test_overlapping_edits_are_a_reason() -> None:
    examination = examine(module_from_text("x = 1 - wide - 1\n", "a.py"))
    (finding,) = build_fixes(examination, examination.findings)
    assert finding.fix is not None
    assert try_edits(examination, finding.fix.edits * 2, []) == "two edits overlap at offset 7"


# --- rules that fail -----------------------------------------------------------------------------------------------


def test_a_rule_that_fails_costs_no_other_findings() -> None:
    examination = examine(module_from_text("CRASH = safe\n", "a.py"))
    assert [finding.rule for finding in examination.findings] == ["PF301"]
    ((code, report),) = examination.failures
    assert code == "PF101"
    assert "ZeroDivisionError: planted" in report
    (finding,) = build_fixes(examination, examination.findings)
    assert finding.fix is not None, "the rule failed before as well"


def test_a_rule_that_fails_on_the_repaired_source_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(fakes.WORDS, "crash", ("CRASH", Applicability.SAFE))
    (finding,) = findings_of("x = crash\n")
    assert finding.why_no_fix == "PF101 fails on the repaired source"


def test_findings_come_by_position(monkeypatch: pytest.MonkeyPatch) -> None:
    examination = examine(module_from_text("x = unsafe, safe\ny = stays\n", "a.py"))
    assert isinstance(examination, Examination)
    assert [finding.message for finding in examination.findings] == [
        "`unsafe` is found",
        "`safe` is found",
        "`stays` is found",
    ]


# --- what can't be parsed ------------------------------------------------------------------------------------------


def error_of(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        examine(module_from_text(text, "a.py"))
    return caught.value


def test_a_syntax_error_names_line_and_python() -> None:
    error = error_of("x = 1\ny = (\n")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert (error.kind, error.line) == ("syntax", 2)
    assert error.message == f"'(' was never closed (read as Python {version})"


@pytest.mark.parametrize(
    ("line", "needed"),
    [
        ("type A = int", "3.12"),
        ("def f[T](x): pass", "3.12"),
        ("class A[T]: pass", "3.12"),
        ("x = f'{a['b']}'", "3.12"),
        ("try: pass\nexcept A, B: pass", "3.14"),
        ("x = t'{a}'", "3.14"),
    ],
)
def test_syntax_of_a_newer_python_is_told(monkeypatch: pytest.MonkeyPatch, line: str, needed: str) -> None:
    def refuse(source: object, find_module: object = None) -> None:
        raise SyntaxError("invalid syntax", ("a.py", 1 + line.count("\n"), 1, line))

    monkeypatch.setattr(trace, "build_trace", refuse)
    monkeypatch.setattr(sys, "version_info", (3, 11, 7, "final", 0))
    assert error_of(f"{line}\n").message.endswith(
        f"(read as Python 3.11; it may need Python {needed}: run prepare-fix with that)"
    )
    monkeypatch.setattr(sys, "version_info", (3, 14, 0, "final", 0))
    assert error_of(f"{line}\n").message == "invalid syntax (read as Python 3.14)"


def test_in_a_notebook_a_syntax_error_names_the_cell() -> None:
    raw = b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a"}, {"cell_type": "code", "source": "b\\n("}]}'
    with pytest.raises(SourceError) as caught:
        examine(read_notebook(raw, "a.ipynb"))
    assert (caught.value.cell, caught.value.line) == (2, 2)


def test_null_bytes_are_an_error_on_a_line() -> None:
    error = error_of("x = 1\ny = '\0'\n")
    assert error.kind == "syntax"
    assert "null" in error.message
    assert "\n" not in error.message


def test_half_a_character_is_an_error_on_a_line() -> None:
    error = error_of("x = 1\ny = '\ud800'\n")
    assert (error.kind, error.line) == ("encoding", 2)


@pytest.mark.parametrize("text", ["x = " + "-" * 20_000 + "1", "x = " + "(" * 20_000 + ")" * 20_000])
def test_deep_nesting_is_an_error(text: str) -> None:
    error = error_of(text)
    assert error.kind == "syntax"
    assert "\n" not in error.message


def test_the_parser_does_not_warn(recwarn: pytest.WarningsRecorder) -> None:
    examine(module_from_text("x = '\\d'\n", "a.py"))
    assert len(recwarn) == 0


def test_a_fault_of_the_engine_is_not_taken_for_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: object, find_module: object = None) -> None:
        raise ValueError("a fault of ours")

    monkeypatch.setattr(trace, "build_trace", fail)
    with pytest.raises(ValueError, match="a fault of ours"):
        examine(module_from_text("x = 1\n", "a.py"))
