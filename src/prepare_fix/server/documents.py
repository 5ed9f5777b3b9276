"""What the editor has open, as it is at one moment: a text, or a notebook whose cells are one program."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import unquote, urlparse

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument, Workspace

from prepare_fix.sources.text import SourceText

_PYTHON = "python"


@dataclass(frozen=True, slots=True)
class Text:
    """One text of the editor: a whole document, or the code of a cell, with its version there."""

    uri: str
    version: int | None
    source: SourceText


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A program at one moment.

    ``content`` is the text to analyse, of a notebook its JSON; ``texts`` are the document, or the cells with Python in
    their order. ``is_file`` says that ``path`` is that of a file, which may not be saved yet, and ``root`` is the
    folder of the workspace around it.
    """

    uri: str
    path: str
    content: str
    texts: tuple[Text, ...]
    is_notebook: bool = False
    is_file: bool = False
    root: str | None = None

    @property
    def folder(self) -> str:
        """Where the search for settings begins."""
        return os.path.dirname(self.path) if self.is_file else self.root or os.getcwd()


def find_owner(workspace: Workspace, uri: str) -> str:
    """Return the URI of the notebook that the text ``uri`` is a cell of, else ``uri`` itself."""
    notebook = workspace.get_notebook_document(cell_uri=uri)
    return notebook.uri if notebook is not None else uri


def take_snapshot(workspace: Workspace, uri: str) -> Snapshot | None:
    """Return the program ``uri`` as it is now; ``None`` where it is not open, or no Python."""
    notebook = workspace.get_notebook_document(notebook_uri=uri)
    if notebook is not None:
        return _of_notebook(workspace, notebook)
    document = workspace.text_documents.get(unquote(uri))
    if document is None or not _is_python(document):
        return None
    path, is_file = _path_of(document.uri)
    text = Text(document.uri, document.version, SourceText(document.source))
    return Snapshot(document.uri, path, document.source, (text,), False, is_file, _root_of(workspace, path, is_file))


def _is_python(document: TextDocument) -> bool:
    # Some clients name no language at all.
    return document.language_id == _PYTHON or (not document.language_id and document.path.endswith(".py"))


def _of_notebook(workspace: Workspace, notebook: types.NotebookDocument) -> Snapshot:
    path, is_file = _path_of(notebook.uri)
    if not path.endswith(".ipynb"):
        path += ".ipynb"  # one that was never saved, or of an interactive window
    cells: list[dict[str, object]] = []
    texts: list[Text] = []
    for cell in notebook.cells:
        document = workspace.text_documents.get(unquote(cell.document))
        is_code = cell.kind == types.NotebookCellKind.Code and document is not None and _is_python(document)
        if document is not None and is_code:
            texts.append(Text(document.uri, document.version, SourceText(document.source)))
        # A cell that is no Python counts all the same when cells are numbered.
        source = document.source if document is not None and is_code else ""
        cells.append({"cell_type": "code" if is_code else "raw", "source": source})
    content = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    root = _root_of(workspace, path, is_file)
    return Snapshot(notebook.uri, path, content, tuple(texts), True, is_file, root)


def read_cells(content: str) -> list[str]:
    """Return the code of the cells with Python in the JSON of a notebook, as a snapshot or its repair has it."""
    return [cell["source"] for cell in json.loads(content)["cells"] if cell["cell_type"] == "code"]


def _path_of(uri: str) -> tuple[str, bool]:
    """Return the path that ``uri`` names, and whether it is one of the file system, where none holds a null."""
    parsed = urlparse(uri)
    path = to_fs_path(uri) if parsed.scheme == "file" else None
    if path is not None and "\0" not in path:
        return path, True
    name = unquote(parsed.path)
    return (name if name and "\0" not in name else uri), False


def _root_of(workspace: Workspace, path: str, is_file: bool) -> str | None:
    """Return the innermost folder of the workspace around ``path``; for what is no file, the first folder."""
    uris = [folder.uri for folder in workspace.folders.values()] or [workspace.root_uri or ""]
    folders = [folder for folder, is_folder in map(_path_of, uris) if is_folder]
    if not is_file:
        return folders[0] if folders else None
    around = [folder for folder in folders if PurePath(path).is_relative_to(folder)]
    return max(around, key=len, default=None)
