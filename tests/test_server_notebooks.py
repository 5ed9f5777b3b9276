"""The language server and notebooks: the cells are one program, and diagnostics and edits go to the right cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from editor import Editor, span
from lsprotocol import types

from prepare_fix import Settings, fix_source

EMOJI = "\N{SNAKE}"
SETUP = f"""\
%pip install accelerate
import torch
from accelerate import Accelerator  # {EMOJI}
accelerator = Accelerator()"""
BUILD = f"""\
x = "{EMOJI}"; model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"{EMOJI}"; model = accelerator.prepare(model)"""
LOOP = """\
%%time
for batch in range(10):
    accelerator.backward(model(batch).sum())
    optimizer.step()"""
PREPARED = f"""\
x = "{EMOJI}"; model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"{EMOJI}"; model, optimizer = accelerator.prepare(model, optimizer)"""
CELLS = (
    ("python", SETUP),
    ("markdown", "# model = 1"),
    ("python", BUILD),
    ("shellscript", "%%bash\nls"),
    ("python", LOOP),
)


class Notebook:
    """A notebook in an editor."""

    def __init__(self, editor: Editor, uri: str, cells: tuple[tuple[str, str], ...] = CELLS) -> None:
        self.editor = editor
        self.uri = uri
        self.version = 1
        self.cells = [f"{uri}#cell-{number}" for number in range(len(cells))]
        items = [types.TextDocumentItem(uri, *each) for uri, each in zip(self.cells, with_versions(cells), strict=True)]
        editor.texts |= {item.uri: (1, item.text) for item in items}
        kinds = [self.cell(item) for item in items]
        document = types.NotebookDocument(uri, "jupyter-notebook", 1, kinds)
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(document, items))

    def cell(self, item: types.TextDocumentItem) -> types.NotebookCell:
        is_markup = item.language_id == "markdown"
        kind = types.NotebookCellKind.Markup if is_markup else types.NotebookCellKind.Code
        return types.NotebookCell(kind, item.uri)

    def change(self, cells: types.NotebookDocumentCellChanges) -> None:
        self.version += 1
        document = types.VersionedNotebookDocumentIdentifier(self.version, self.uri)
        event = types.NotebookDocumentChangeEvent(cells=cells)
        params = types.DidChangeNotebookDocumentParams(document, event)
        self.editor.client.notebook_document_did_change(params)

    def write(self, cell: int, at: types.Range, new: str, text: str) -> None:
        uri = self.cells[cell]
        version = self.editor.texts[uri][0] + 1
        self.editor.texts[uri] = (version, text)
        change = types.TextDocumentContentChangePartial(at, new)
        changed = types.VersionedTextDocumentIdentifier(version, uri)
        content = types.NotebookDocumentCellContentChanges(changed, [change])
        self.change(types.NotebookDocumentCellChanges(text_content=[content]))

    def remove(self, cell: int) -> None:
        uri = self.cells.pop(cell)
        array = types.NotebookCellArrayChange(start=cell, delete_count=1)
        closed = [types.TextDocumentIdentifier(uri)]
        structure = types.NotebookDocumentCellChangeStructure(array, did_close=closed)
        self.change(types.NotebookDocumentCellChanges(structure=structure))

    def diagnostics(self, cell: int) -> list[types.Diagnostic]:
        return self.editor.diagnostics(self.cells[cell])


def with_versions(cells: tuple[tuple[str, str], ...]) -> list[tuple[str, int, str]]:
    return [(language, 1, text) for language, text in cells]


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return (tmp_path / "a.ipynb").as_uri()


def test_findings_are_shown_in_their_cells(real: Editor, uri: str) -> None:
    notebook = Notebook(real, uri)
    assert notebook.diagnostics(0) == notebook.diagnostics(4) == []
    (found,) = notebook.diagnostics(2)
    assert (found.code, found.range) == ("PF101", span((2, 14), (2, 40)))
    # Cells are counted with those that hold no Python.
    assert "created on line 2 of cell 3" in found.message and "line 4 of cell 5" in found.message
    related = {each.message: each.location for each in found.related_information or ()}
    assert related["unprepared `optimizer` steps"] == types.Location(notebook.cells[4], span((3, 4), (3, 13)))
    assert not [each for each in real.published if each.uri in (notebook.cells[1], notebook.cells[3])]
    assert real.hover(notebook.cells[2], types.Position(2, 14)) is not None
    assert real.hover(notebook.cells[4], types.Position(2, 14)) is None


def test_edits_go_to_their_cells(real: Editor, uri: str) -> None:
    notebook = Notebook(real, uri)
    (found,) = notebook.diagnostics(2)
    fix, disable, everything = real.actions(notebook.cells[2], found.range)
    assert real.edited(fix.edit) == {notebook.cells[2]: PREPARED}
    assert real.edited(disable.edit) == {notebook.cells[2]: f"{BUILD}  # prepare-fix: ignore[PF101]"}
    assert everything.kind == "notebook.source.fixAll.prepare-fix"
    assert real.edited(real.resolve(everything).edit) == {notebook.cells[2]: PREPARED}
    # Asked for each cell in turn, this one would be made several times.
    assert real.actions(notebook.cells[2], found.range, ["source.fixAll"]) == []


def test_all_fixes_are_those_of_the_file(real: Editor, uri: str) -> None:
    kinds = {"python": "code", "shellscript": "code", "markdown": "markdown"}
    cells = [{"cell_type": kinds[language], "source": text, "metadata": {}} for language, text in CELLS]
    content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    fixed = json.loads(fix_source(content, path="a.ipynb", settings=Settings()).text)
    notebook = Notebook(real, uri)
    (action,) = real.actions(notebook.cells[0], span((0, 0), (0, 0)), ["notebook.source.fixAll"])
    after = real.edited(real.resolve(action).edit)
    assert [after.get(uri, real.texts[uri][1]) for uri in notebook.cells] == [each["source"] for each in fixed["cells"]]


def test_cells_change_and_go(real: Editor, uri: str) -> None:
    notebook = Notebook(real, uri)
    assert len(notebook.diagnostics(2)) == 1
    real.published.clear()
    # Behind a character of two units, and not where one of one unit would be.
    end = len(BUILD.splitlines()[2]) + 1
    notebook.write(2, span((2, 6), (2, end)), "model, optimizer = accelerator.prepare(model, optimizer)", PREPARED)
    assert notebook.diagnostics(2) == []
    notebook.write(2, span((0, 0), (3, 0)), BUILD, BUILD)
    assert len(notebook.diagnostics(2)) == 1
    gone = notebook.cells[2]
    notebook.remove(2)
    del real.texts[gone]
    assert real.diagnostics(gone) == []
    real.published.clear()
    cells = [types.TextDocumentIdentifier(cell) for cell in notebook.cells]
    document = types.NotebookDocumentIdentifier(uri)
    real.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(document, cells))
    for cell in (notebook.cells[0], notebook.cells[-1]):
        del real.texts[cell]
        assert real.diagnostics(cell) == []


def test_a_fix_that_changes_several_cells(real: Editor, uri: str) -> None:
    cells = (
        ("python", SETUP),
        (
            "python",
            BUILD.replace(
                "; model = accelerator.prepare(model)", "; other, second = accelerator.prepare(model, optimizer)"
            ),
        ),
        ("python", "model.train()\r\nx = 1\r\n"),
        ("python", LOOP),
    )
    notebook = Notebook(real, uri, cells)
    found = [each for cell in range(4) for each in notebook.diagnostics(cell)]
    assert {each.code for each in found} == {"PF301"}
    (action,) = real.actions(notebook.cells[0], span((0, 0), (0, 0)), ["notebook.source.fixAll"])
    after = real.edited(real.resolve(action).edit)
    content = {"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": text} for _, text in cells]}
    fixed = json.loads(fix_source(json.dumps(content), path="a.ipynb").text)
    expected = [each["source"] for each in fixed["cells"]]
    assert [after.get(uri, real.texts[uri][1]) for uri in notebook.cells] == expected
    assert after


@pytest.mark.parametrize("uri", ["untitled:Untitled-1.ipynb", "vscode-interactive:/Interactive-1.interactive"])
def test_a_notebook_without_a_file(real: Editor, uri: str) -> None:
    notebook = Notebook(real, uri)
    assert [each.code for each in notebook.diagnostics(2)] == ["PF101"]


def test_what_is_saved_is_looked_at_again(real: Editor, uri: str, tmp_path: Path) -> None:
    notebook = Notebook(real, uri)
    assert len(notebook.diagnostics(2)) == 1
    (tmp_path / "prepare-fix.toml").write_text("ignore = ['PF101']\n")
    real.published.clear()
    saved = types.DidSaveNotebookDocumentParams(types.NotebookDocumentIdentifier(uri))
    real.client.notebook_document_did_save(saved)
    assert notebook.diagnostics(2) == []
