"""Whole scripts, before and after: ``golden/<rule>/<case>/`` and ``golden/no_change/``.

A case asserts six things: the findings; what a fix makes of the script; that the fixed script is silent; that a second
fix changes nothing; that the diff, read by another library and applied, gives the fixed script; and that nothing but
the edits of the findings was changed. A case without ``after.py`` is found and not fixed; ``after_unsafe.py`` is there
where unsafe fixes lead further.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from unidiff import PatchSet

from prepare_fix import Settings, check_source, fix_source
from prepare_fix.edits import Edit, apply_edits, find_conflict
from prepare_fix.findings import Applicability, Finding
from prepare_fix.reporting.unified_diff import build_diff
from prepare_fix.rules import discover
from prepare_fix.sources.text import SourceText

GOLDEN = Path(__file__).parent / "golden"
SAFE = Settings()
UNSAFE = Settings(unsafe_fixes=True)


@dataclass(frozen=True)
class Case:
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def code(self) -> str:
        return self.folder.parent.name.split("_")[0].upper()

    @property
    def before(self) -> str:
        return read(self.folder / "before.py")

    def after(self, settings: Settings) -> str:
        names = ["after_unsafe.py", "after.py"] if settings.unsafe_fixes else ["after.py"]
        return next((read(self.folder / name) for name in names if (self.folder / name).exists()), self.before)


def read(path: Path) -> str:
    # Not ``read_text``: it would turn every line end into "\n".
    return path.read_bytes().decode("utf-8")


def fix(text: str, settings: Settings) -> str:
    return fix_source(text, settings=settings).text


def expect(actual: str, wanted: str) -> None:
    """Fail with a diff where the two scripts differ."""
    if actual != wanted:
        lines = difflib.unified_diff(wanted.splitlines(True), actual.splitlines(True), "wanted", "actual", n=2)
        pytest.fail("".join(line if line.endswith("\n") else line + "\n" for line in lines), pytrace=False)


def is_applied(finding: Finding, settings: Settings) -> bool:
    return finding.fix is not None and (finding.fix.applicability is Applicability.SAFE or settings.unsafe_fixes)


def told(text: str) -> str:
    """Return one line for each finding."""
    source = SourceText(text)
    lines = []
    for finding in check_source(text):
        place = source.position(finding.span.start)
        lines.append(
            f"{place.line}:{place.column} {finding.rule} {finding.name} [{finding.status}] {finding.message}\n"
        )
    return "".join(lines)


def follow_edits(text: str, settings: Settings) -> str:
    """Return ``text`` with the edits made that its findings carry, again and again; of two that overlap the first."""
    for _ in range(10):
        taken: list[Edit] = []
        for finding in check_source(text, settings=settings):
            if finding.fix is None or not is_applied(finding, settings):
                continue
            if not any(edit in taken for edit in finding.fix.edits) and not find_conflict(finding.fix.edits, taken):
                taken += finding.fix.edits
        if not taken:
            break
        text = apply_edits(text, taken)
    return text


def apply_patch(before: str, patch: str) -> str:
    """Return ``before`` with the one file of ``patch`` applied, as unidiff reads it: lines end at "\\n" only."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", before)
    result: list[str] = []
    done = 0
    for hunk in PatchSet(StringIO(patch, newline="\n"))[0]:
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        result += lines[done:start]
        added = False
        for line in hunk:
            if line.is_context or line.is_added:
                result.append(line.value)
            elif line.line_type == "\\" and added:
                result[-1] = result[-1].removesuffix("\n")
            added = line.is_context or line.is_added
        done = start + hunk.source_length
    return "".join([*result, *lines[done:]])


CASES = [Case(path.parent) for path in sorted(GOLDEN.glob("pf*/*/before.py"))]
each_case = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
each_setting = pytest.mark.parametrize("settings", [SAFE, UNSAFE], ids=["safe", "unsafe"])


@each_case
def test_findings(case: Case, expect_golden: Callable[[Path, str], None]) -> None:
    assert case.code in {finding.rule for finding in check_source(case.before)}, "the rule of the folder is silent"
    expect_golden(case.folder / "findings.txt", told(case.before))


def scopes(text: str) -> set[str]:
    """Return the dotted names of the definitions in a script, and the empty one of the module."""

    def inside(node: ast.AST, scope: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            own = [scope, child.name] if isinstance(child, (ast.FunctionDef, ast.ClassDef)) else [scope]
            name = ".".join(filter(None, own))
            yield name
            yield from inside(child, name)

    return {"", *inside(ast.parse(text), "")}


@each_case
def test_a_finding_is_told_from_others_and_tells_of_its_objects(case: Case) -> None:
    source = SourceText(case.before)
    for finding in check_source(case.before):
        code, scope, *subject = finding.fingerprint.split(":", 2)
        assert code == finding.rule
        assert scope in scopes(case.before)
        assert all(name in case.before for each in subject for name in re.split("[,:]", each))
        assert finding.objects or finding.rule == "PF602", "only a call of one process has none"
        assert all(story.name and story.events for story in finding.objects)
        for place in finding.related:
            assert place.label
            first, last = (source.position(offset).line for offset in (place.span.start, place.span.end))
            assert first <= place.when[-1][0] <= last


@each_case
@each_setting
def test_fix_gives_the_after_file(case: Case, settings: Settings) -> None:
    expect(fix(case.before, settings), case.after(settings))


@each_case
@each_setting
def test_after_file_is_done(case: Case, settings: Settings) -> None:
    after = case.after(settings)
    expect(fix(after, settings), after)
    left = [finding.message for finding in check_source(after) if finding.rule == case.code]
    assert left == [] or after == case.before or not settings.unsafe_fixes, "mended, and still found"
    assert not any(is_applied(finding, settings) for finding in check_source(after))


@each_case
@each_setting
def test_second_fix_changes_nothing(case: Case, settings: Settings) -> None:
    once = fix(case.before, settings)
    expect(fix(once, settings), once)


@each_case
@each_setting
def test_diff_gives_the_after_file(case: Case, settings: Settings) -> None:
    before, after = case.before, case.after(settings)
    patch = build_diff("script.py", before.encode(), after.encode()).decode()
    expect(apply_patch(before, patch) if patch else before, after)


@each_case
@each_setting
def test_nothing_but_the_edits_is_changed(case: Case, settings: Settings) -> None:
    expect(fix(case.before, settings), follow_edits(case.before, settings))


SILENT = sorted((GOLDEN / "no_change").glob("*.py"))


@pytest.mark.parametrize("path", SILENT, ids=[path.stem for path in SILENT])
def test_correct_script_stays_as_it_is(path: Path) -> None:
    text = read(path)
    assert text.startswith(("#", '"""')), "the first line says why the script is here"
    assert told(text) == ""
    expect(fix(text, UNSAFE), text)


def stems(paths: Iterable[Path]) -> set[str]:
    return {path.name for path in paths if path.name.startswith("pf")}


def test_each_rule_has_a_folder_of_cases() -> None:
    """Rule module and folder share one stem, so ``git ls-files '*pf301*'`` lists the whole rule."""
    modules = {type(rule).__module__.rpartition(".")[2]: rule for rule in discover()}
    assert stems(GOLDEN.iterdir()) == set(modules)
    for stem, rule in modules.items():
        assert stem == f"{rule.code}_{rule.name.replace('-', '_')}".lower()
