"""The language server and texts: diagnostics, quick fixes, all fixes, hovers, positions and edits."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from editor import Editor, capabilities, span
from fakes import NEEDLES
from lsprotocol import types
from program import Program

from prepare_fix import Settings, fix_source

GOLDEN = Path(__file__).parent / "golden"
EMOJI = "\N{SNAKE}"


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "a.py").as_uri()


def titles(actions: list[types.CodeAction]) -> list[str]:
    return [action.title for action in actions]


def test_a_diagnostic_has_all_that_is_known(real: Editor, uri: str) -> None:
    script = Path(__file__).parent.parent / "examples" / "classifier.py"
    real.open(uri, script.read_text())
    (found,) = real.diagnostics(uri)
    assert (found.code, found.source, found.severity) == ("PF101", "prepare-fix", types.DiagnosticSeverity.Warning)
    assert found.message.startswith("the optimizer `optimizer` (created on line 40")
    assert (found.range.start.line, found.range.start.character) == (42, 39)
    related = {each.message: each.location for each in found.related_information or ()}
    assert related["`optimizer` is created"].range.start.line == 39
    assert related["`model` is prepared"].range.start.line == 42
    assert related["unprepared `optimizer` steps"].range.start.line == 50
    assert {location.uri for location in related.values()} == {uri}
    assert found.code_description is not None
    page = Path(unquote(urlparse(found.code_description.href).path))
    assert page.read_text().startswith("# PF101 model-without-optimizer")


def test_fixes_come_with_the_diagnostics_once_nothing_changes(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}safe, unfixable\n")
    assert [found.data["fix"] for found in editor.diagnostics(uri)] == [None, None]
    fixable, other = editor.diagnostics(uri, times=2)
    assert fixable.data["fix"]["applicability"] == "safe"
    (change,) = fixable.data["fix"]["edit"]["documentChanges"]
    assert (change["textDocument"], change["edits"][0]["newText"]) == ({"uri": uri, "version": 1}, "good")
    assert (other.data["fix"], other.data["why_no_fix"]) == (None, "a person has to look")


def test_an_unused_comment_is_shown_as_unnecessary(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}x = 1  # prepare-fix: ignore[PF301]\n")
    (found,) = editor.diagnostics(uri)
    assert (found.code, found.severity) == ("PF001", types.DiagnosticSeverity.Information)
    assert list(found.tags or ()) == [types.DiagnosticTag.Unnecessary]
    assert editor.fix_all(uri) == f"{NEEDLES}x = 1\n"


def test_quick_fixes_are_those_of_the_findings_in_the_range(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}safe_1\nunsafe_1\nunfixable_1\n")
    quick = [types.CodeActionKind.QuickFix]
    safe, disable = editor.actions(uri, span((1, 3), (1, 3)), quick)
    assert (safe.title, safe.is_preferred) == ("Replace `safe_1`", True)
    assert editor.edited(safe.edit) == {uri: f"{NEEDLES}good\nunsafe_1\nunfixable_1\n"}
    assert safe.diagnostics is not None and safe.diagnostics[0].range == span((1, 0), (1, 6))
    assert disable.title == "Disable PF301 (stale-object) on this line"
    unsafe, _, unfixable = editor.actions(uri, span((2, 0), (3, 2)), quick)
    assert (unsafe.title, unsafe.is_preferred) == ("Replace `unsafe_1` (unsafe)", None)
    assert unfixable.title == disable.title
    assert editor.actions(uri, span((0, 0), (0, 5)), quick) == []


def test_a_rule_is_disabled_by_the_comment_that_check_writes(editor: Editor, program: Program, tmp_path: Path) -> None:
    text = f'{NEEDLES}x = safe\nwhile """\n""" and safe:\n    pass\n'
    uri = (tmp_path / "a.py").as_uri()
    (tmp_path / "a.py").write_text(text)
    editor.open(uri, text)
    for found in editor.diagnostics(uri):
        _, disable = editor.actions(uri, found.range, [types.CodeActionKind.QuickFix])
        editor.change(uri, editor.edited(disable.edit)[uri])
    assert editor.diagnostics(uri) == []
    program("check", "--add-ignores", "a.py")
    assert editor.texts[uri][1] == (tmp_path / "a.py").read_text()
    assert editor.texts[uri][1].count("ignore[PF301]") == 2


def test_actions_are_of_the_kinds_that_are_asked_for(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}safe\n")
    at = span((1, 0), (1, 0))
    made = "prepare-fix: make all safe fixes"
    assert titles(editor.actions(uri, at)) == ["Replace `safe`", "Disable PF301 (stale-object) on this line", made]
    assert titles(editor.actions(uri, at, ["source"])) == [made]
    assert titles(editor.actions(uri, at, ["source.fixAll.prepare-fix"])) == [made]
    assert titles(editor.actions(uri, at, ["source.fixAll.other", "source.organizeImports", "sour"])) == []
    assert titles(editor.actions(uri, at, ["notebook.source.fixAll"])) == []


def test_nothing_is_offered_where_the_settings_let_nothing_be_made(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}unsafe\nunfixable\n")
    assert editor.actions(uri, span((0, 0), (3, 0)), ["source.fixAll"]) == []
    editor.open(uri, f"{NEEDLES}x = 1\n")
    assert editor.actions(uri, span((0, 0), (3, 0))) == []


@pytest.mark.parametrize("unsafe", [False, True])
def test_all_fixes_are_exactly_those_of_fix(real: Editor, tmp_path: Path, unsafe: bool) -> None:
    cases = sorted(min(rule.iterdir()) for rule in GOLDEN.iterdir() if rule.name != "no_change")
    (tmp_path / "prepare-fix.toml").write_text(f"unsafe-fixes = {str(unsafe).lower()}\n")
    changed = 0
    for case in cases:
        text = (case / "before.py").read_bytes().decode()
        uri = (tmp_path / f"{case.parent.name}.py").as_uri()
        real.open(uri, text)
        expected = fix_source(text, settings=Settings(unsafe_fixes=unsafe)).text
        assert real.fix_all(uri) == expected, case
        changed += expected != text
        real.close(uri)
    assert changed >= 5


def test_an_editor_that_can_do_little_gets_what_it_can_use() -> None:
    uri = "untitled:a"
    able = capabilities(versions=False, resolves=False, hovers=[types.MarkupKind.PlainText])
    with Editor(able=able) as editor:
        editor.open(uri, f"{NEEDLES}safe_1\nsafe_2\n")
        actions = editor.actions(uri, span((1, 0), (1, 0)))
        for action in actions:
            assert action.edit is not None and action.edit.document_changes is None
            assert action.edit.changes is not None and list(action.edit.changes) == [uri]
        assert actions[-1].kind == "source.fixAll.prepare-fix"
        assert actions[-1].edit.changes[uri][0].new_text == "good\ngood\n"
        hover = editor.hover(uri, types.Position(1, 0))
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert hover.contents.kind == types.MarkupKind.PlainText
        assert hover.contents.value.startswith("# PF301 stale-object")


def test_a_hover_shows_the_page_of_the_rule(real: Editor, uri: str) -> None:
    before = GOLDEN / "pf602_collective_on_one_process"
    real.open(uri, min(before.iterdir()).joinpath("before.py").read_text())
    found = real.diagnostics(uri)[0]
    hover = real.hover(uri, found.range.start)
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert "# PF602 collective-on-one-process\n" in hover.contents.value
    assert "## Why it matters" in hover.contents.value
    assert hover.contents.value.startswith("No fix: ")
    assert hover.range == found.range
    assert real.hover(uri, types.Position(0, 0)) is None


@pytest.mark.parametrize(
    ("offered", "chosen", "units"),
    [(["utf-7"], "utf-16", 2), (["utf-8", "utf-16"], "utf-8", 4), (["utf-32"], "utf-32", 1)],
)
def test_positions_are_counted_as_the_editor_counts(offered: list[str], chosen: str, units: int) -> None:
    with Editor(able=capabilities(offered)) as editor:
        assert editor.encoding == chosen
        for end in ("\n", "\r\n", "\r"):
            uri = f"untitled:{ord(end[0])}{len(end)}"
            head = NEEDLES.replace("\n", end)
            editor.open(uri, f'{head}"{EMOJI}"; "{EMOJI}";safe{end}x = 1')
            column = 7 + 2 * units
            (found,) = editor.diagnostics(uri)
            assert found.range == span((1, column), (1, column + 4))
            fixed, disabled, _ = editor.actions(uri, found.range)
            assert editor.edited(fixed.edit) == {uri: f'{head}"{EMOJI}"; "{EMOJI}";good{end}x = 1'}
            assert editor.edited(disabled.edit)[uri].endswith(f";safe  # prepare-fix: ignore[PF301]{end}x = 1")
            # What the editor changes behind such a character is changed in the same place here.
            editor.edit(uri, span((1, column), (1, column + 4)), "unfixable")
            editor.edit(uri, span((1, 1 + units), (1, column)), '"; ')
            (found,) = editor.diagnostics(uri)
            assert editor.texts[uri][1] == f'{head}"{EMOJI}"; unfixable{end}x = 1'
            assert found.range == span((1, 4 + units), (1, 13 + units))


def test_only_line_ends_of_the_protocol_end_lines(editor: Editor, uri: str) -> None:
    editor.open(uri, f'{NEEDLES}\fx = "\u2028\x1c\v\x85"\nsafe\n')
    (found,) = editor.diagnostics(uri)
    assert found.range == span((2, 0), (2, 4))
    editor.edit(uri, span((2, 0), (2, 4)), "un\funsafe")
    editor.edit(uri, span((2, 0), (2, 3)), "")
    (found,) = editor.diagnostics(uri)
    assert (found.message, found.range) == ("`unsafe` is found", span((2, 0), (2, 6)))


def test_a_byte_order_mark_that_the_editor_shows_is_a_character(editor: Editor, uri: str) -> None:
    editor.open(uri, f"\ufeffsafe; {NEEDLES}")
    (found,) = editor.diagnostics(uri)
    assert found.range == span((0, 1), (0, 5))
    assert editor.edited(editor.actions(uri, found.range)[0].edit) == {uri: f"\ufeffgood; {NEEDLES}"}
    assert editor.fix_all(uri) == f"\ufeffgood; {NEEDLES}"


def test_a_coding_cookie_says_nothing_of_decoded_text(editor: Editor, uri: str) -> None:
    editor.open(uri, f"# coding: latin-1\n{NEEDLES}'é'; safe\n")
    (found,) = editor.diagnostics(uri)
    assert found.range == span((2, 5), (2, 9))


def test_what_cannot_be_parsed_is_left_in_peace(editor: Editor, uri: str) -> None:
    editor.open(uri, f"{NEEDLES}safe\n")
    assert editor.codes(uri) == ["PF301"]
    said = len(editor.shown), len(editor.logged)
    editor.change(uri, f"{NEEDLES}safe(\n")
    assert editor.codes(uri) == []
    assert editor.actions(uri, span((1, 0), (1, 0))) == []
    assert editor.hover(uri, types.Position(1, 0)) is None
    editor.change(uri, f"{NEEDLES}safe()\n\ud800")
    assert editor.codes(uri) == []
    editor.change(uri, f"{NEEDLES}safe()\n")
    assert editor.codes(uri) == ["PF301"]
    assert (len(editor.shown), len(editor.logged)) == said


def test_a_text_without_a_file(editor: Editor) -> None:
    uri = "untitled:Untitled-1"
    editor.open(uri, f"{NEEDLES}safe\n")
    assert editor.codes(uri) == ["PF301"]
    assert editor.fix_all(uri) == f"{NEEDLES}good\n"
    editor.close(uri)
    editor.texts.pop(uri)
    assert editor.diagnostics(uri) == []


@pytest.mark.parametrize(("language", "name", "seen"), [("json", "a.py", 0), ("", "a.py", 1), ("", "a.txt", 0)])
def test_only_python_is_looked_at(editor: Editor, tmp_path: Path, language: str, name: str, seen: int) -> None:
    uri, other = (tmp_path / name).as_uri(), (tmp_path / "other.py").as_uri()
    editor.open(uri, f"{NEEDLES}safe\n", language)
    editor.open(other, "x = 1\n")
    assert editor.diagnostics(other) == []
    assert sum(len(each.diagnostics) for each in editor.publications(uri)) == seen
    assert bool(editor.actions(uri, span((1, 0), (1, 0)))) == bool(seen)


def test_names_with_odd_characters(editor: Editor, tmp_path: Path) -> None:
    uri = (tmp_path / f"a %41 {EMOJI}.py").as_uri()
    editor.open(uri, f"{NEEDLES}safe\n")
    assert editor.codes(uri) == ["PF301"]
    assert editor.fix_all(uri) == f"{NEEDLES}good\n"


def test_helpers_of_the_project_are_followed_as_they_are_on_the_disk(real: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    helper = tmp_path / "helper.py"
    build = "import torch\n\n\ndef build(model):\n    return torch.optim.SGD(model.parameters(), lr=0.1)\n"
    helper.write_text(build.replace("return", "return None  #"))
    script = """\
import torch
from accelerate import Accelerator
from helper import build

accelerator = Accelerator()
model = torch.nn.Linear(2, 2)
optimizer = build(model)
model = accelerator.prepare(model)
for batch in range(10):
    accelerator.backward(model(batch).sum())
    optimizer.step()
"""
    uri = (tmp_path / "train.py").as_uri()
    real.open(uri, script)
    assert "PF101" not in real.codes(uri)
    helper.write_text(build)
    saved = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(helper.as_uri()))
    real.published.clear()
    real.client.text_document_did_save(saved)
    assert "PF101" in real.codes(uri)


def test_the_server_says_what_it_does(editor: Editor) -> None:
    able = editor.introduction.capabilities
    assert editor.introduction.server_info is not None and editor.introduction.server_info.name == "prepare-fix"
    assert able.hover_provider and able.notebook_document_sync
    assert isinstance(able.code_action_provider, types.CodeActionOptions)
    assert able.code_action_provider.resolve_provider
