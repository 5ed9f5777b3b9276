"""What a file is, by its name: a module, a notebook, or Markdown with Python in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prepare_fix.sources.module import module_from_text, read_module

if TYPE_CHECKING:
    from prepare_fix.sources.markdown import Markdown
    from prepare_fix.sources.module import Module
    from prepare_fix.sources.notebook import Notebook

    Document = Module | Notebook | Markdown

_NOTEBOOK = ".ipynb"
_MARKDOWN = (".md", ".mdx")


def read_document(raw: bytes, path: str, *, in_tree: bool = False) -> Document:
    """Return what ``raw`` holds; ``in_tree`` says that it was read from the file at ``path``.

    Raises:
        SourceError: the bytes can't be read as that.
    """
    name = path.lower()
    if name.endswith(_NOTEBOOK):
        from prepare_fix.sources.notebook import read_notebook

        return read_notebook(raw, path)
    if name.endswith(_MARKDOWN):
        from prepare_fix.sources.markdown import read_markdown

        return read_markdown(raw, path)
    return read_module(raw, path, in_tree=in_tree)


def document_from_text(text: str, path: str, *, in_tree: bool = False) -> Document:
    """Return decoded text as a document; ``in_tree`` says that it is that of the file at ``path``, saved or not.

    Raises:
        SourceError: the text is no notebook.
    """
    if path.lower().endswith((_NOTEBOOK, *_MARKDOWN)):
        return read_document(text.encode("utf-8", "surrogatepass"), path)
    return module_from_text(text, path, in_tree=in_tree)
