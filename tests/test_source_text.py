"""Bytes to text and back: encodings, line ends, offsets; and files, replaced whole or not at all."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prepare_fix.errors import SourceError
from prepare_fix.sources import files
from prepare_fix.sources.files import read_file, replace_file
from prepare_fix.sources.module import module_from_text, read_module
from prepare_fix.sources.text import Cell, Location, SourceText, Span, splice

# --- lines and columns ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_where_python_ends_them(newline: str) -> None:
    source = SourceText(newline.join(["a\x0cb", "c\x0b\x1c\x85\u2028d", "", "e"]))
    assert [source.line(number) for number in range(1, 5)] == ["a\x0cb", "c\x0b\x1c\x85\u2028d", "", "e"]
    assert len(source.line_starts) == 4
    assert source.newline == newline


def test_mixed_line_ends() -> None:
    source = SourceText("a\r\nb\rc\nd")
    assert source.line_starts == (0, 3, 5, 7)
    assert [source.position(offset).line for offset in range(8)] == [1, 1, 1, 2, 2, 3, 3, 4]
    assert SourceText("a").newline == "\n"


def test_offsets_of_ast_positions_are_characters() -> None:
    text = "x = 1\ns = '\N{SNOWMAN}\U0001f600'; name\n"
    node = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "name")
    source = SourceText(text)
    offset = source.offset(node.lineno, node.col_offset)
    assert text[offset:].startswith("name")
    assert (source.position(offset).line, source.position(offset).column) == (2, 11)


@given(st.text(alphabet="a\r\n\N{SNOWMAN}", max_size=30))
def test_offset_and_position_agree(text: str) -> None:
    source = SourceText(text)
    for offset in range(len(text)):
        place = source.position(offset)
        before = text[source.line_starts[place.line - 1] : offset]
        assert source.offset(place.line, len(before.encode())) == offset
        assert place.column == len(before) + 1


def test_a_place_in_a_notebook_counts_from_its_cell() -> None:
    source = SourceText("a\nb\nc\n\nd", cells=(Cell(2, Span(0, 3)), Cell(5, Span(4, 6)), Cell(6, Span(7, 8))))
    assert source.locate(2) == Location(2, 2, 1)
    assert source.locate(3) == Location(2, 2, 2)
    assert source.locate(4) == Location(5, 1, 1)
    assert source.locate(8) == Location(6, 1, 2)
    assert SourceText("a\nb").locate(2) == Location(None, 2, 1)


def test_spans() -> None:
    assert Span(0, 4).contains(Span(0, 4))
    assert not Span(0, 4).contains(Span(3, 5))
    assert not Span(0, 4).overlaps(Span(4, 5))
    assert Span(0, 4).overlaps(Span(2, 2))
    assert not Span(0, 4).overlaps(Span(0, 0))
    assert splice("abcdef", [(Span(1, 2), "X"), (Span(3, 3), "Y"), (Span(5, 6), "")]) == "aXcYde"


# --- modules -------------------------------------------------------------------------------------------------------

BODIES = {
    "plain": "x = 1\ny = 2\n",
    "no last line end": "x = 1\ny = 2",
    "carriage returns and line feeds": "x = 1\r\ny = 2\r\n",
    "carriage returns": "x = 1\ry = 2\r",
    "mixed": "x = 1\r\ny = 2\rz = 3\n\r",
    "form feed, tabs, blanks": "\x0cx = 1\n\ty = 2  \n\n   \n",
    "umlauts": "x = '\xe4\xf6\xfc'\ny = 2\n",
    "empty": "",
}
ENCODINGS = {
    "utf-8": "",
    "latin-1": "# -*- coding: latin-1 -*-\n",
    "cp1252": "#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\n",
    "utf-8 told": "# coding: utf-8\n",
}


def encode(cookie: str, body: str, newline: str = "\n") -> bytes:
    name = next((word for word in ("latin-1", "cp1252") if word in cookie), "utf-8")
    return (cookie.replace("\n", newline) + body).encode(name)


@pytest.mark.parametrize("cookie", ENCODINGS.values(), ids=ENCODINGS.keys())
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_every_module_comes_back_with_one_change(cookie: str, body: str) -> None:
    raw = encode(cookie, body)
    module = read_module(raw, "a.py")
    assert module.source.text == cookie + body
    assert module.replaced([]).raw == raw
    if "x = " in body:
        start = module.source.text.index("x = ") + 4
        changed = module.replaced([(Span(start, start), "0 + ")])
        assert changed.raw == encode(cookie, body.replace("x = ", "x = 0 + "))
        assert read_module(changed.raw, "a.py") == changed


def test_a_byte_order_mark_is_no_text_and_stays() -> None:
    module = read_module(b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "a.py")
    assert module.source.text == "# coding: utf-8\nx = 1\n"
    assert module.replaced([(Span(16, 17), "y")]).raw == b"\xef\xbb\xbf# coding: utf-8\ny = 1\n"
    assert module_from_text("\ufeffx = 1\n", "a.py").raw == b"\xef\xbb\xbfx = 1\n"
    assert module_from_text("\ufeffx = 1\n", "a.py").source.text == "x = 1\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_the_cookie_stands_in_the_first_two_lines(newline: str) -> None:
    raw = encode("#!python\n# coding: latin-1\n", "x = '\xe4'", newline)
    assert read_module(raw, "a.py").source.text.endswith("'\xe4'")
    late = newline.join(["# one", "# two", "# coding: latin-1", "x = '\xe4'"])
    with pytest.raises(SourceError) as caught:
        read_module(late.encode("latin-1"), "a.py")
    assert (caught.value.kind, caught.value.line) == ("encoding", 4)
    assert read_module(late.encode(), "a.py").encoding == "utf-8"


@pytest.mark.parametrize(
    ("raw", "line", "message"),
    [
        (b"x = 1\r\ny = '\xff'\n", 2, "byte 0xff is no valid utf-8"),
        (b"# coding: nonsense\n", 1, "unknown encoding"),
        (b"# coding: rot13\nk = 1\n", 1, "rot13"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "encoding problem"),
        (b"# coding: ascii\nx = '\xe4'\n", 2, "byte 0xe4"),
    ],
)
def test_what_can_not_be_decoded(raw: bytes, line: int, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read_module(raw, "a.py")
    assert (caught.value.kind, caught.value.line) == ("encoding", line)


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    module = read_module(b"# coding: latin-1\nx = 1\n", "a.py")
    with pytest.raises(SourceError, match="can't be written in iso-8859-1"):
        module.replaced([(Span(18, 19), "\N{SNOWMAN}")])


def test_a_text_that_would_be_written_otherwise_is_refused() -> None:
    # Two ways to say "a" in UTF-7: the decoder takes both, the encoder knows one.
    module = read_module(b"# coding: utf-7\nx = '+AGE-'\n", "a.py")
    assert module.source.text == "# coding: utf-7\nx = 'a'\n"
    with pytest.raises(SourceError, match="would not survive"):
        module.replaced([])


# --- files ---------------------------------------------------------------------------------------------------------


def litter(folder: Path, *known: str) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in known)


def test_a_file_is_replaced_with_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o754)
    replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o754
    assert litter(tmp_path, "a.py") == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "b.py"
    target.write_bytes(b"old")
    link = tmp_path / "a.py"
    link.symlink_to(Path("real", "b.py"))
    replace_file(str(link), b"old", b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert litter(tmp_path / "real", "b.py") == []


def make_linked(file: Path) -> None:
    os.link(file, file.with_name("other.py"))


def make_read_only(file: Path) -> None:
    file.chmod(0o444)


def make_changed(file: Path) -> None:
    file.write_bytes(b"newer")


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (make_linked, "2 hard links"),
        (make_read_only, "no permission"),
        (make_changed, "changed since it was read"),
    ],
)
def test_what_is_refused_stays(tmp_path: Path, prepare: object, message: str) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    assert callable(prepare)
    prepare(file)
    before = file.read_bytes()
    with pytest.raises(SourceError, match=message) as caught:
        replace_file(str(file), b"old", b"new")
    assert caught.value.kind == "refused"
    assert file.read_bytes() == before
    assert litter(tmp_path, "a.py", "other.py") == []


@pytest.mark.parametrize("failing", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    monkeypatch.setattr(files.os, failing, fail)
    with pytest.raises(SourceError, match="No space left on device") as caught:
        replace_file(str(file), b"old", b"new")
    assert caught.value.kind == "io"
    assert file.read_bytes() == b"old"
    assert litter(tmp_path, "a.py") == []


def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    monkeypatch.setattr(files.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"
    assert litter(tmp_path, "a.py") == []


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    for action in (lambda path: read_file(path), lambda path: replace_file(path, b"", b"x")):
        with pytest.raises(SourceError, match="No such file") as caught:
            action(str(tmp_path / "a.py"))
        assert caught.value.kind == "io"
