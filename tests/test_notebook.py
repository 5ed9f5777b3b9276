"""Notebooks: what the parser gets to see, and that a change of code changes nothing else in the JSON."""

from __future__ import annotations

import ast
import json
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.errors import SourceError
from prepare_fix.sources.magics import mask_cell
from prepare_fix.sources.notebook import Notebook, read_notebook
from prepare_fix.sources.text import Span


def code(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": [], "source": source}


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


MARKDOWN = {"cell_type": "markdown", "id": "m", "metadata": {}, "source": ["# model = prepare\n", "%time"]}


def notebook(*cells: dict[str, Any], language: str = "python", **options: Any) -> bytes:
    content = {
        "cells": [{**cell, "id": f"{cell['id']}-{number}"} for number, cell in enumerate(cells)],
        "metadata": {"language_info": {"name": language}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    options = {"indent": 1, "ensure_ascii": False, **options}
    return (json.dumps(content, **options) + "\n").encode()


def change(raw: bytes, old: str, new: str) -> bytes:
    """Put ``new`` in the place of the first ``old`` of the code."""
    book = read_notebook(raw, "a.ipynb")
    start = book.source.text.index(old)
    return book.replaced([(Span(start, start + len(old)), new)]).raw


def insert(book: Notebook, offset: int, new: str) -> list[str]:
    """Insert ``new`` and return the code of the cells."""
    return sources(book.replaced([(Span(offset, offset), new)]).raw)


def sources(raw: bytes) -> list[str]:
    cells = json.loads(raw)["cells"]
    return [cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"]) for cell in cells]


# --- reading -------------------------------------------------------------------------------------------------------


def test_code_cells_are_one_text_with_a_way_back() -> None:
    book = read_notebook(notebook(code(["a = 1\n", "b = 2"]), MARKDOWN, code("c = 3\nd = 4\n"), code([])), "a.ipynb")
    assert book.source.text == "a = 1\nb = 2\nc = 3\nd = 4\n\n"
    assert [cell.number for cell in book.source.cells] == [1, 3, 4]
    places = {name: book.source.locate(book.source.text.index(f"{name} =")) for name in "abcd"}
    assert {name: (place.cell, place.line, place.column) for name, place in places.items()} == {
        "a": (1, 1, 1),
        "b": (1, 2, 1),
        "c": (3, 1, 1),
        "d": (3, 2, 1),
    }


def test_other_languages_have_no_code() -> None:
    assert read_notebook(notebook(code("x <- 1"), language="R"), "a.ipynb").source.text == ""


def test_a_notebook_without_metadata_is_python() -> None:
    raw = b'{"cells": [{"cell_type": "code", "source": "a"}], "nbformat": 4}'
    assert read_notebook(raw, "a.ipynb").source.text == "a"


@pytest.mark.parametrize(
    ("raw", "kind", "line"),
    [
        (b"", "syntax", 1),
        (b"{\n", "syntax", 2),
        (b"[]", "syntax", None),
        (b'{"nbformat": 3, "worksheets": []}', "syntax", None),
        (b'{"nbformat": 4, "cellz": []}', "syntax", None),
        (b'{"nbformat": 4, "cells": {}}', "syntax", 1),
        (b'{"nbformat": 4,\n"cells": [1]}', "syntax", 2),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": 1}]}', "syntax", 1),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": [1]}]}', "syntax", 1),
        (b'{"nbformat": 4, "cells": [{"cell_type": "code", "source": null}]}', "syntax", 1),
        (b"[" * 100_000, "syntax", None),
        (b'{"nbformat": 4, "cells": [], "x": ' + b"9" * 6000 + b"}", "syntax", None),
        (b'{"nbformat": 4,\n"cells": "\xff"}', "encoding", 2),
    ],
)
def test_what_is_no_notebook(raw: bytes, kind: str, line: int | None) -> None:
    with pytest.raises(SourceError) as caught:
        read_notebook(raw, "a.ipynb")
    assert (caught.value.kind, caught.value.line) == (kind, line)


# --- IPython's syntax ----------------------------------------------------------------------------------------------

MASKED = {
    "%load_ext autoreload\nx = 1": "0                   \nx = 1",
    "!pip install a b\nx": "0               \nx",
    "if x:\n    !ls\n": "if x:\n    0  \n",
    "files = !ls *.py\nx": "files = 0       \nx",
    "a, b = %who_ls int": "a, b = 0          ",
    "self.x[0] = !ls": "self.x[0] = 0  ",
    "model?\nmodel.fit??\n?model\n%time?\n": "0     \n0          \n0     \n0     \n",
    "!ls \\\n  -l\nx = 1": "0    \n    \nx = 1",
    "%time x = f(y)": "0    ;x = f(y)",
    "if x:\n  %prun  f(y)": "if x:\n  0     ;f(y)",
    "%time for x in y: pass": "0                     ",
    "%timeit f(x)": "0           ",
    "%%bash\nls 'it\n": "#     \n#     \n",
    "%%writefile a.py\n\n  x = (\n": "#               \n\n#      \n",
    "\n%%bash\nls": "\n#     \n# ",
    "%%time\nx = 1\n!ls": "#     \nx = 1\n0  ",
    "%%capture out\n\nx = 1": "#            \n\nx = 1",
    "/f x\n,g y\n;h z": "0   \n0   \n0   ",
    "    %matplotlib inline\nx = 1": "   \f0                 \nx = 1",
    "\n \n  x = [\n 1]\n  if x:\n\n    !ls": "\n \n \fx = [\n 1]\n \fif x:\n\n \f  0  ",
    " %%time\n x = 1": "\f#     \n\fx = 1",
    "  %%bash\n  ls": "#       \n#   ",
}
PYTHON = [
    "x = (a\n% b)\n",
    "x = '''\n!ls\n%time\n'''\ny = 1 % 2\n",
    'x = """a\\"""\n!ls\n"""\n',
    "x = a \\\n% b\n",
    "x = '(' # (\ny = a % b\n",
    "f(a,\n  # )\n%b)\n",
    "x %= 2\nx = a % b\nx != y\nx = y != z\n",
    "x = 'what?'\ny = 'it\\'s (' # why?\nz = {1: [2]}\n",
    "print('a %s' % b)\nassert x, '!'\n",
]


@pytest.mark.parametrize(("cell", "masked"), MASKED.items(), ids=repr)
def test_ipython_syntax_is_masked(cell: str, masked: str) -> None:
    mask = mask_cell(cell)
    assert mask.code == masked
    assert len(mask.code) == len(cell)
    ast.parse(mask.code)
    kept = list(cell)
    for span in mask.spans:
        kept[span.start : span.end] = masked[span.start : span.end]
    assert "".join(kept) == masked, "what is masked is told"


@pytest.mark.parametrize("cell", PYTHON, ids=repr)
def test_python_is_not_masked(cell: str) -> None:
    assert mask_cell(cell).code == cell
    assert mask_cell(cell).spans == ()


@given(st.text(alphabet="%!?'\"\\\n\r()# abx=", max_size=40))
def test_masking_keeps_all_offsets(cell: str) -> None:
    mask = mask_cell(cell)
    assert len(mask.code) == len(cell)
    ends = [(index, char) for index, char in enumerate(cell) if char in "\r\n"]
    assert ends == [(index, char) for index, char in enumerate(mask.code) if char in "\r\n"]


def test_a_magic_is_never_changed() -> None:
    raw = notebook(code("%time x = f(y)\n!ls\n"))
    book = read_notebook(raw, "a.ipynb")
    for span in (Span(0, 3), Span(4, 7), Span(15, 16), Span(2, 2)):
        with pytest.raises(SourceError, match="IPython") as caught:
            book.replaced([(span, "z")])
        assert caught.value.kind == "refused"
    assert sources(change(raw, "f(y)", "g(y)")) == ["%time x = g(y)\n!ls\n"]


def test_an_indented_cell_keeps_its_indentation() -> None:
    raw = notebook(code("  x = 1\n  y = 2\n"))
    assert sources(change(raw, "y = 2", "y = 3")) == ["  x = 1\n  y = 3\n"]
    book = read_notebook(raw, "a.ipynb")
    line_end = len("  x = 1\n")
    copied = book.source.text[line_end : line_end + 2] + "z = 3\n"
    with pytest.raises(SourceError, match="IPython"):
        book.replaced([(Span(line_end, line_end), copied)])


# --- writing -------------------------------------------------------------------------------------------------------

STYLES: dict[str, bytes] = {
    "jupyter": notebook(code(lines("a = 1\nb = 2\nc = 3")), MARKDOWN, code(lines("d = 4\n"))),
    "strings": notebook(code("a = 1\nb = 2\nc = 3"), MARKDOWN, code("d = 4\n")),
    "compact": notebook(code(lines("a = 1\nb = 2\nc = 3")), indent=None, separators=(",", ":")),
    "four blanks, sorted keys": notebook(code(lines("a = 1\nb = 2\nc = 3")), indent=4, sort_keys=True),
    "tabs and carriage returns": notebook(code(lines("a = 1\nb = 2\nc = 3")), indent="\t").replace(b"\n", b"\r\n"),
    "no last line end": notebook(code(lines("a = 1\nb = 2\nc = 3"))).rstrip(b"\n"),
    "byte order mark": b"\xef\xbb\xbf" + notebook(code(lines("a = 1\nb = 2\nc = 3"))),
    "escapes": notebook(code(lines("a = 1\nb = 2\nc = 3"))).replace(b'"a = 1', b'"\\u0061 \\u003d 1'),
}


@pytest.mark.parametrize("raw", STYLES.values(), ids=STYLES.keys())
def test_an_edit_changes_one_string(raw: bytes) -> None:
    assert change(raw, "2", "22") == raw.replace(b"b = 2", b"b = 22")


@pytest.mark.parametrize("raw", STYLES.values(), ids=STYLES.keys())
def test_lines_come_and_go(raw: bytes) -> None:
    more = change(raw, "b = 2\n", 'b = "x"\nbb = 2\n')
    assert sources(more)[0] == 'a = 1\nb = "x"\nbb = 2\nc = 3'
    assert change(more, 'b = "x"\nbb = 2\n', "b = 2\n") == raw
    assert sources(change(raw, "b = 2\n", ""))[0] == "a = 1\nc = 3"
    assert sources(change(raw, "a = 1\n", ""))[0] == "b = 2\nc = 3"
    assert sources(change(raw, "\nc = 3", ""))[0] == "a = 1\nb = 2"
    assert sources(change(raw, "a = 1\nb = 2\nc = 3", ""))[0] == ""


def test_new_strings_stand_as_the_old_ones() -> None:
    raw = notebook(code(lines("a\nb")))
    assert change(raw, "b", "b\nc") == notebook(code(lines("a\nb\nc")))
    assert change(raw, "a\n", "a\nx\ny\n") == notebook(code(lines("a\nx\ny\nb")))
    assert change(raw, "a\nb", "c") == notebook(code(["c"]))
    raw = notebook(code(lines("a\n")))
    assert change(raw, "a\n", "a\nb\n") == notebook(code(lines("a\nb\n")))


def test_strings_that_are_no_lines_stay_apart() -> None:
    raw = notebook(code(["a", " = 1\nb", " = 2\n", "c = 3"]))
    assert change(raw, "c = 3", "c = 4") == notebook(code(["a", " = 1\nb", " = 2\n", "c = 4"]))


def test_a_string_of_several_lines_stays_one() -> None:
    raw = notebook(code(["a = 1\nb = 2\nc = 3"]))
    assert change(raw, "b = 2", "b = 3\nx = 4") == notebook(code(["a = 1\nb = 3\nx = 4\nc = 3"]))
    assert change(raw, "\nc = 3", "") == notebook(code(["a = 1\nb = 2"]))


def test_an_empty_cell_can_be_filled() -> None:
    for source in ([], [""], ""):
        book = read_notebook(notebook(code(source)), "a.ipynb")
        assert insert(book, 0, 'x = "1"\n') == ['x = "1"\n']


@pytest.mark.parametrize("ascii_only", [True, False])
def test_escapes_are_as_in_the_rest(ascii_only: bool) -> None:
    old, new = "x = '\N{SNOWMAN}'", "x = '\N{SNOWMAN}\U0001f600'"
    raw = notebook(code(old + " + y"), ensure_ascii=ascii_only)
    assert change(raw, "y", new) == notebook(code(f"{old} + {new}"), ensure_ascii=ascii_only)


def test_offsets_are_right_behind_a_surrogate_pair() -> None:
    raw = notebook(code("x = '\U0001f600'; y = 1"), ensure_ascii=True)
    assert sources(change(raw, "1", "2")) == ["x = '\U0001f600'; y = 2"]


def test_the_last_line_of_a_cell_goes_with_its_line_end() -> None:
    raw = notebook(code(["a\n", "b"]), code(["c"]))
    assert change(raw, "b\n", "") == notebook(code(["a"]), code(["c"]))
    assert change(raw, "a\nb\n", "") == notebook(code([]), code(["c"]))
    assert change(raw, "b\n", "x\ny\n") == notebook(code(["a\n", "x\n", "y"]), code(["c"]))


def test_lines_between_cells_go_where_python_is() -> None:
    book = read_notebook(notebook(code("a"), code("b")), "a.ipynb")
    assert insert(book, 2, "x = 1\n") == ["a\nx = 1", "b"]
    assert insert(book, 1, "\nx = 1") == ["a\nx = 1", "b"]
    assert insert(book, 0, "x = 1\n") == ["x = 1\na", "b"]
    book = read_notebook(notebook(code("%%bash\nls"), code("b")), "a.ipynb")
    assert insert(book, 10, "x = 1\n") == ["%%bash\nls", "x = 1\nb"]
    book = read_notebook(notebook(code("a"), code("%%time\nb")), "a.ipynb")
    assert insert(book, 2, "x = 1\n") == ["a\nx = 1", "%%time\nb"]
    book = read_notebook(notebook(code("%%time\nb")), "a.ipynb")
    with pytest.raises(SourceError, match="cell magic"):
        insert(book, 0, "x = 1\n")


@pytest.mark.parametrize("old", ["a\nb", "\nb", "\n"])
def test_no_change_reaches_over_cells(old: str) -> None:
    with pytest.raises(SourceError, match="border of a cell"):
        change(notebook(code("a"), code("b")), old, "")


text = st.text(alphabet='ab\n"\\\t\N{SNOWMAN}\U0001f600 ', max_size=12)


@given(st.lists(text, min_size=1, max_size=3), st.data(), st.booleans(), st.booleans())
def test_any_change_in_a_cell(codes: list[str], data: st.DataObject, as_list: bool, ascii_only: bool) -> None:
    def write(texts: list[str]) -> bytes:
        cells = [code(text_lines(text) if as_list else text) for text in texts]
        return notebook(MARKDOWN, *cells, ensure_ascii=ascii_only)

    raw = write(codes)
    book = read_notebook(raw, "a.ipynb")
    index = data.draw(st.integers(0, len(codes) - 1))
    span = book.source.cells[index].span
    # The border in front of a cell belongs to two cells, which other tests are about.
    start = data.draw(st.integers(span.start + bool(index), max(span.end, span.start + bool(index))))
    end = data.draw(st.integers(start, max(span.end, start)))
    if end > span.end or any(masked.overlaps(Span(start, end)) for masked in book.masked):
        return
    new = data.draw(text)
    old = codes[index]
    codes[index] = old[: start - span.start] + new + old[end - span.start :]
    after = book.replaced([(Span(start, end), new)])
    assert sources(after.raw)[1:] == codes
    assert after.source.written_text == "\n".join(codes)
    nbformat.validate(nbformat.reads(after.raw.decode(), as_version=4))
    if old and not ascii_only:
        assert after.raw == write(codes)


def text_lines(text: str) -> list[str]:
    """As Jupyter cuts code, but at line feeds alone."""
    parts = [f"{part}\n" for part in text.split("\n")]
    parts[-1] = parts[-1][:-1]
    return [part for part in parts if part]
