"""From bytes to results: candidates, passes, errors as values; and the functions for programs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import fakes
import pytest

import prepare_fix
from prepare_fix import codemods, pipeline, verify
from prepare_fix.apply import Writer
from prepare_fix.candidates import is_candidate
from prepare_fix.edits import Edit
from prepare_fix.errors import SourceError
from prepare_fix.findings import Applicability, FileResult, Finding
from prepare_fix.flow import trace
from prepare_fix.pipeline import check_document, do_bytes, do_file, fix_document
from prepare_fix.pool import do_files
from prepare_fix.repairs import Repair
from prepare_fix.settings import Settings
from prepare_fix.sources.module import module_from_text
from prepare_fix.sources.text import SourceText, Span

SAFE = Settings()
UNSAFE = Settings(unsafe_fixes=True)


@pytest.fixture(autouse=True)
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    fakes.install(monkeypatch)


def fixed(text: str, settings: Settings = SAFE) -> FileResult:
    return fix_document(module_from_text(text, "a.py"), settings)


def fix_file(path: str, settings: Settings) -> FileResult:
    (result,) = Writer(settings).write([do_file(path, settings, fix_document)], lambda: None)
    return result


def words(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.message.split("`")[1] for finding in findings]


# --- which files are parsed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"from accelerate import Accelerator\na = Accelerator()", True),
        (b"accelerator.prepare(model)", True),
        (b"accelerator.prepare_data_loader(loader)", True),
        (b"accelerator. \\\r\n  prepare(model)", True),
        (b'{"source": ["(accelerator.\\n", "prepare(model))"]}', True),
        (b'{"source": "accelerator.\\n\\tprepare(model)"}', True),
        (b"run(accelerator.prepare, model)", True),
        (b"import accelerate", False),
        (b"import accelerate\nprepare_data()\ntokenizer.prepare_inputs()", False),
        (b"Accelerator()\nprepare()", False),
        (b"", False),
    ],
)
def test_candidates(raw: bytes, expected: bool) -> None:
    assert is_candidate(raw) is expected


def test_a_file_that_is_no_candidate_can_not_be_in_error() -> None:
    assert do_bytes(b"x = (\xff", "a.py", SAFE, pipeline.check_document) == FileResult("a.py")


def test_results_are_small_where_there_is_nothing_to_say() -> None:
    result = do_bytes(fakes.NEEDLES.encode(), "a.py", SAFE, pipeline.check_document)
    assert result == FileResult("a.py")


# --- check ---------------------------------------------------------------------------------------------------------


def test_settings_choose_the_findings_but_not_what_a_fix_may_bring() -> None:
    raw = (fakes.NEEDLES + "CRASH = worsens\n").encode()
    result = do_bytes(raw, "a.py", Settings(ignore=("PF1",)), pipeline.check_document)
    assert result.error is None, "a rule that nobody asked for may fail"
    (worse,) = result.findings
    assert worse.why_no_fix == "the repair would bring PF301 stale-object on line 2, to be mended with it by hand"
    assert do_bytes(raw, "a.py", Settings(ignore=("PF3",)), pipeline.check_document).findings == ()


def test_a_rule_that_fails_is_an_error_beside_the_findings() -> None:
    raw = (fakes.NEEDLES + "CRASH = safe\n").encode()
    result = do_bytes(raw, "a.py", SAFE, pipeline.check_document)
    assert words(result.findings) == ["safe"]
    assert result.error is not None
    assert (result.error.kind, result.error.message) == (
        "internal",
        "PF101 could not be checked: ZeroDivisionError: planted",
    )
    assert "Traceback" in result.notes[0]


def test_a_fault_of_the_engine_is_an_error_of_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: object, find_module: object = None) -> None:
        raise KeyError("two\nlines")

    monkeypatch.setattr(trace, "build_trace", fail)
    result = do_bytes(fakes.NEEDLES.encode(), "a.py", SAFE, pipeline.check_document)
    assert result.error is not None
    assert result.error.kind == "internal"
    assert "\n" not in result.error.message
    assert "Traceback" in result.notes[0]


# --- fix -----------------------------------------------------------------------------------------------------------


def test_safe_fixes_are_made_and_the_rest_is_left() -> None:
    result = fixed("a = safe\nb = unsafe\nc = stays\n")
    assert result.fixed_text == "a = good\nb = unsafe\nc = stays\n"
    assert (result.before, result.after) == (b"a = safe\nb = unsafe\nc = stays\n", b"a = good\nb = unsafe\nc = stays\n")
    assert words(result.fixed) == ["safe"]
    assert words(result.findings) == ["unsafe", "stays"]
    assert result.source is not None
    assert all(result.source.slice(finding.span) in finding.message for finding in result.findings)


def test_unsafe_fixes_are_made_where_asked_for() -> None:
    result = fixed("a = safe\nb = unsafe\n", UNSAFE)
    assert result.fixed_text == "a = good\nb = good\n"
    assert words(result.fixed) == ["safe", "unsafe"]


def test_nothing_to_fix_is_no_change() -> None:
    result = fixed("b = unsafe\n")
    assert result.after is None
    assert result.fixed_text is None
    assert words(result.findings) == ["unsafe"]


def test_a_second_fix_changes_nothing() -> None:
    text = "a = safe, unsafe, safe\nb = stays\nc = 1 -wide-wide- 1\n"
    for settings in (SAFE, UNSAFE):
        once = fixed(text, settings).fixed_text
        assert once is not None
        assert fixed(once, settings).after is None


def test_fixes_that_overlap_wait_for_the_next_pass() -> None:
    # Each takes in the character on both sides: the minus between is part of both.
    result = fixed("c = 1 -wide_a-wide_b- 1\n")
    assert result.fixed_text == "c = 1 +good+good+ 1\n"
    assert words(result.fixed) == ["wide_a", "wide_b"]
    assert result.findings == ()


def test_one_repair_that_mends_two_findings_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = fakes.WordRule()

    class Twice(fakes.WordRule):
        code = "PF302"

        def check(self, trace: object):  # type: ignore[no-untyped-def]
            for finding in rule.check(trace):
                yield finding
                yield replace(finding, fingerprint=f"{finding.fingerprint} as well")

    monkeypatch.setattr(verify, "discover", lambda: (Twice(),))
    result = fixed("a = safe\n")
    assert result.fixed_text == "a = good\n"
    assert words(result.fixed) == ["safe", "safe"]


def test_fixes_that_do_not_go_together_are_tried_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both words are gone a new one is found: the second fix alone is dropped, and offered no more."""
    check = fakes.WordRule.check

    def with_grudge(self: fakes.WordRule, trace: object):  # type: ignore[no-untyped-def]
        yield from check(self, trace)
        assert isinstance(trace, SourceText)
        if trace.text.count("good") == 2:
            yield Finding("PF301", "grudge", "`grudge` is found", "", Span(0, 1), "grudge")

    monkeypatch.setattr(fakes.WordRule, "check", with_grudge)
    result = fixed("a = safe_a\nb = safe_b\n")
    assert result.fixed_text == "a = good\nb = safe_b\n"
    (left,) = result.findings
    assert left.why_no_fix == "the repair would bring PF301 grudge on line 1, to be mended with it by hand"
    assert fixed("a = good\nb = safe_b\n").after is None


def test_fixes_that_never_end_leave_the_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repair that mends one finding of several and moves the others has work for ever."""

    def render(source: SourceText, repairs: tuple[Repair, ...]) -> tuple[Edit, ...]:
        # The count of equal findings goes down by one at a time, from more than there are passes.
        last = source.text.rindex("wide")
        return (Edit(Span(last, last + 4), "wide", "good"),)

    monkeypatch.setattr(codemods, "render", render)
    text = "x = [" + ",".join(["wide"] * 15) + "]\n"
    result = fixed(text)
    assert result.after is None
    assert len(result.findings) == 15
    assert {finding.status for finding in result.findings} == {"not-fixable"}
    assert "after 10 passes" in result.findings[0].why_no_fix
    assert fixed(text.replace("wide," * 6, "")).fixed_text is not None


# --- files ---------------------------------------------------------------------------------------------------------


def test_files_are_done_one_after_the_other(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(f"{fakes.NEEDLES}x = safe\n")
    paths = [str(tmp_path / name) for name in ("a.py", "missing.py", "b.py")]
    results = list(do_files(paths, SAFE, check_document, jobs=1))
    assert [result.path for result in results] == paths
    assert [len(result.findings) for result in results] == [1, 0, 1]
    assert results[1].error is not None
    assert (results[1].error.kind, results[1].error.message) == ("io", "No such file or directory")
    assert pickle.loads(pickle.dumps(results)) == results


def test_preview_writes_nothing_and_fix_writes_that(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    raw = b"\xef\xbb\xbf" + f"{fakes.NEEDLES}x = '\xe4', safe".replace("\n", "\r\n").encode()
    file.write_bytes(raw)
    preview = do_file(str(file), SAFE, fix_document)
    assert file.read_bytes() == raw
    assert preview.after == raw.replace(b"safe", b"good")
    assert fix_file(str(file), SAFE) == preview
    assert file.read_bytes() == preview.after


def test_a_file_that_must_not_be_written_keeps_its_findings(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(f"{fakes.NEEDLES}x = safe\n")
    file.chmod(0o444)
    result = fix_file(str(file), SAFE)
    assert file.read_text() == f"{fakes.NEEDLES}x = safe\n"
    assert (result.after, result.fixed, words(result.findings)) == (None, (), ["safe"])
    assert result.error is not None
    assert result.error.kind == "refused"


def test_a_notebook_is_fixed_in_its_cells(tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    raw = (
        '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["import accelerate # .prepare\\n", "!ls"]},\n'
        ' {"cell_type": "code", "source": ["x = safe # prepare-fix: ignore[PF301]\\n", "y = safe"]}]}'
    )
    file.write_text(raw)
    result = fix_file(str(file), SAFE)
    assert words(result.fixed) == ["safe"]
    assert file.read_text() == raw.replace("y = safe", "y = good")


# --- for programs --------------------------------------------------------------------------------------------------


def test_check_source() -> None:
    findings = prepare_fix.check_source("x = safe\ny = unsafe\n")
    assert [finding.status for finding in findings] == ["fixable", "fixable-unsafe"]
    assert findings[0].fix == prepare_fix.Fix(
        "Replace `safe`", Applicability.SAFE, (prepare_fix.Edit(Span(4, 8), "safe", "good"),)
    )
    assert prepare_fix.check_source("x = safe", settings=prepare_fix.Settings(ignore=("PF301",))) == []
    assert pickle.loads(pickle.dumps(findings)) == findings


def test_fix_source() -> None:
    result = prepare_fix.fix_source("\ufeffx = safe\r\ny = unsafe", settings=SAFE)
    assert result.text == "\ufeffx = good\r\ny = unsafe"
    assert words(result.fixed) == ["safe"]
    assert words(result.remaining) == ["unsafe"]
    assert prepare_fix.fix_source("x = 1").text == "x = 1"


def test_a_notebook_as_text() -> None:
    text = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "safe"}]}'
    assert prepare_fix.fix_source(text, path="a.ipynb").text == text.replace("safe", "good")
    assert len(prepare_fix.check_source(text, path="a.ipynb")) == 1


@pytest.mark.parametrize("text", ["x = (", "CRASH = 1"])
def test_functions_raise_where_they_can_not_answer(text: str) -> None:
    with pytest.raises(SourceError):
        prepare_fix.check_source(text)
    with pytest.raises(SourceError):
        prepare_fix.fix_source(text)


def test_the_package_has_what_it_says() -> None:
    for name in prepare_fix.__all__:
        assert getattr(prepare_fix, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = prepare_fix.nonsense


def modules_after(statement: str) -> set[str]:
    script = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_is_cheap() -> None:
    modules = modules_after("import prepare_fix")
    assert not {"ast", "click", "dataclasses", "libcst"} & modules


def test_a_check_without_findings_never_imports_libcst(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from accelerate import Accelerator\naccelerator = Accelerator()\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    statement = (
        f"from prepare_fix.cli import main; status = main(['check', '-q', {str(tmp_path)!r}]); assert status == 0"
    )
    modules = modules_after(statement)
    assert "prepare_fix.pipeline" in modules
    assert not {"libcst", "prepare_fix.codemods.tree", "unidiff", "rich", "json"} & modules


def test_a_check_without_candidates_does_without_the_engine(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n")
    modules = modules_after(f"from prepare_fix.cli import main; main(['check', '-q', {str(tmp_path)!r}])")
    assert "prepare_fix.pool" in modules
    assert not {f"prepare_fix.{name}" for name in ("pipeline", "verify", "repairs", "suppress", "journal")} & modules
    assert not {"json", "multiprocessing"} & modules
