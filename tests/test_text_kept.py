"""Bytes that no repair is about stay as they are, in every encoding and with every line end; or nothing is written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import fakes
import pytest
from program import Program

HEAD = fakes.NEEDLES
E_ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"
EURO = "\N{EURO SIGN}"
KANJI = "\N{CJK UNIFIED IDEOGRAPH-65E5}\N{CJK UNIFIED IDEOGRAPH-672C}"
CYRILLIC = "\N{CYRILLIC SMALL LETTER YA}"


def encoded(cookie: str, codec: str, text: str = E_ACUTE, line: str = "# -*- coding: {} -*-\n") -> bytes:
    return f"{line.format(cookie)}{HEAD}x = '{text}', safe  # {text}\ny = '{text}'\n".encode(codec)


KEPT: dict[str, bytes] = {
    "utf-8": f"{HEAD}x = '{KANJI}', safe  # {EURO}\n".encode(),
    "byte order mark": b"\xef\xbb\xbf" + f"{HEAD}x = '{KANJI}', safe\n".encode(),
    "byte order mark and cookie": b"\xef\xbb\xbf" + encoded("utf-8", "utf-8"),
    "byte order mark in the text": f"{HEAD}x = '\ufeff', safe\n".encode(),
    "latin-1": encoded("latin-1", "latin-1"),
    "iso-8859-15": encoded("iso-8859-15", "iso-8859-15", E_ACUTE + EURO),
    "cp1252": encoded("cp1252", "cp1252", EURO),
    "koi8-r": encoded("koi8-r", "koi8-r", CYRILLIC),
    "mac-roman": encoded("mac-roman", "mac-roman"),
    "shift_jis": encoded("shift_jis", "shift_jis", KANJI),
    "euc-jp": encoded("euc-jp", "euc-jp", KANJI),
    "gb18030": encoded("gb18030", "gb18030", KANJI + EURO),
    "big5": encoded("big5", "big5", KANJI),
    "cookie of vim": encoded("latin-1", "latin-1", line="# vim: set fileencoding={} :\n"),
    "cookie on the second line": encoded("latin-1", "latin-1", line="#!/usr/bin/python\n# coding={}\n"),
    "cookie with capitals": encoded("UTF8", "utf-8", KANJI),
    "no cookie on the third line": encoded("latin-1", "utf-8", line="#\n#\n# coding: {}\n"),
    "carriage returns and line feeds": f"{HEAD}x = safe\ny = 1\n".replace("\n", "\r\n").encode(),
    "carriage returns": f"{HEAD}x = safe\ny = 1\n".replace("\n", "\r").encode(),
    "carriage returns with a cookie": encoded("latin-1", "latin-1").replace(b"\n", b"\r"),
    "all line ends": b"import accelerate  # .prepare\r\nx = safe\ry = 1\nz = 2\r\n",
    "no last line end": f"{HEAD}x = safe".encode(),
    "blank last line": f"{HEAD}x = safe\n\n\n   \n".encode(),
    "blanks behind the last line": f"{HEAD}x = safe\n   ".encode(),
    "many last line ends": f"{HEAD}x = safe\n\n\n\n".encode(),
    "blanks at line ends": f"{HEAD}x = safe   \n\t\ny = 1\t\n".encode(),
    "tabs": f"{HEAD}if 1:\n\tx = safe\n\tif 2:\n\t\ty\t=\t1\n".encode(),
    "form feeds": f"{HEAD}\x0cx = 1\n\x0c\ny = safe\n\x0c  \nz = 2 \x0c\n".encode(),
    "line ends of str.splitlines": f"{HEAD}x = '\x0b\x1c\x1d\x1e\x85\u2028\u2029', safe\ny = 1\n".encode(),
    "control characters": f"{HEAD}x = '\x01\x7f\x1b', safe  # \x08\n".encode(),
    "characters beyond the first plane": f"{HEAD}x = '\U0001f600', safe, '\U0001f600'\n".encode(),
    "combining characters": f"{HEAD}e\N{COMBINING ACUTE ACCENT} = safe\n".encode(),
    "a line that goes on": f"{HEAD}x = 1, \\\n    safe, \\\n    2\n".encode(),
    "a long line": f"{HEAD}x = [{'1, ' * 20_000}safe]\n".encode(),
    "many lines": (HEAD + "y = 1\n" * 3000 + "x = safe\n").encode(),
}


@pytest.mark.parametrize("raw", KEPT.values(), ids=KEPT.keys())
def test_only_the_repair_changes(program: Program, raw: bytes) -> None:
    expected = raw.replace(b"safe", b"good")
    assert expected != raw
    Path("a.py").write_bytes(raw)
    patch = program("diff", "-q").out.encode("utf-8", "surrogateescape")
    assert Path("a.py").read_bytes() == raw
    assert program("fix", "-", stdin=raw).out.encode("utf-8", "surrogateescape") == expected
    assert program("fix").status == 0
    assert Path("a.py").read_bytes() == expected
    Path("a.py").write_bytes(raw)
    subprocess.run(["git", "apply", "-"], input=patch, check=True)
    assert Path("a.py").read_bytes() == expected
    compile(expected, "a.py", "exec", dont_inherit=True)


REFUSED: dict[str, tuple[bytes, str]] = {
    "no utf-8": (f"{HEAD}x = safe # ".encode() + b"\xff\n", "a.py:2: byte 0xff is no valid utf-8"),
    "no utf-8 behind a mark": (
        b"\xef\xbb\xbf" + HEAD.encode() + b"\xe9 = safe\n",
        "a.py:2: byte 0xe9 is no valid utf-8",
    ),
    "no ascii": (encoded("ascii", "utf-8"), "a.py:3: byte 0xc3 is no valid ascii"),
    "unknown encoding": (encoded("nonsense", "utf-8"), "a.py:1: unknown encoding: nonsense"),
    "an encoding of bytes": (encoded("hex", "utf-8", "e"), "a.py:1: "),
    "mark against cookie": (b"\xef\xbb\xbf" + encoded("latin-1", "utf-8"), "a.py:1: "),
    "utf-16 cookie": (encoded("utf-16", "utf-8", "e"), "a.py:1: "),
    "null bytes": (f"{HEAD}x = safe\0\n".encode(), "a.py:2: source can't contain null bytes"),
    "a null byte in a comment": (f"{HEAD}x = safe  # \0\n".encode(), "a.py:2: source can't contain null bytes"),
}


@pytest.mark.parametrize(("raw", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_text_is_left_and_named(program: Program, raw: bytes, message: str) -> None:
    Path("a.py").write_bytes(raw)
    for verb in ("check", "diff", "fix"):
        done = program(verb)
        assert done.status == 2
        assert done.err.splitlines()[-1].startswith(f"prepare-fix: error: {message}")
        assert Path("a.py").read_bytes() == raw
    done = program("fix", "-", stdin=raw)
    assert (done.status, done.out.encode("utf-8", "surrogateescape")) == (2, raw)


def test_an_encoding_that_does_not_come_back_is_not_written(program: Program) -> None:
    """ISO-2022-JP can write the same text in several ways, and a file may hold another one than Python writes."""
    raw = b"# coding: iso-2022-jp\nimport accelerate  # .prepare\n# \x1b(Jabc\x1b(B\nx = safe\n"
    assert raw.decode("iso-2022-jp").encode("iso-2022-jp") != raw
    Path("a.py").write_bytes(raw)
    done = program("fix")
    assert done.status == 1
    assert "no fix: the text would not survive being written as iso-2022-jp" in done.out
    assert Path("a.py").read_bytes() == raw


def test_an_encoding_that_is_for_reading_only_is_not_written(program: Program) -> None:
    raw = f"# coding: idna {'.' * 70}\n{HEAD}x = safe\n".encode()
    Path("a.py").write_bytes(raw)
    done = program("fix")
    # From Python 3.13 on, the codec says which character it can't write.
    assert (done.status, "can't be written in idna" in done.out) == (1, True)
    assert Path("a.py").read_bytes() == raw


def test_a_repair_that_the_encoding_lacks_is_not_written(program: Program) -> None:
    raw = f"# coding: latin-1\n{HEAD}x = foreign\n".encode("latin-1")
    Path("a.py").write_bytes(raw)
    assert "can't be written in iso-8859-1" in program("fix").out
    assert Path("a.py").read_bytes() == raw


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xef\xbb\xbf", b"\xff\xfe", b"\0" * 100, b"# .prepare accelerate"])
def test_files_with_nothing_in_them_are_fine(program: Program, raw: bytes) -> None:
    Path("a.py").write_bytes(raw)
    assert program("check").out == "1 file checked, no findings\n"
    assert program("fix").status == 0
    assert Path("a.py").read_bytes() == raw
