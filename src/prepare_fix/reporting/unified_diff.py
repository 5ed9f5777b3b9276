"""Changes as a unified diff that ``git apply`` and ``patch -p1`` turn into exactly the new bytes."""

from __future__ import annotations

import difflib
import os
from io import StringIO

from unidiff.constants import LINE_TYPE_NO_NEWLINE
from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from prepare_fix.errors import SourceError

_NO_LINE_END = "\n\\ No newline at end of file\n"
_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def build_diff(path: str, before: bytes, after: bytes) -> bytes:
    """Return the change of the file at ``path``; empty where there is none.

    A line ends at a line feed alone, as for git; every other byte, a carriage return too, is part of its line.
    """
    # In Latin-1 each byte is one character, so any encoding comes through.
    old, new = _lines(before), _lines(after)
    hunks = list(difflib.unified_diff(old, new))[2:]
    if not hunks:
        return b""
    body = "".join(line if line.endswith("\n") else line + _NO_LINE_END for line in hunks)
    return file_headers(path) + body.encode("latin-1")


def file_headers(path: str) -> bytes:
    """Return the two lines that name the file at ``path`` in a diff: an absolute one from the root, since no program
    applies a patch to a file that is named in full."""
    path = path.replace(os.sep, "/").lstrip("/")
    return b"--- %b\n+++ %b\n" % (_file_name("a/", path), _file_name("b/", path))


def verify_diff(diff: bytes, before: bytes, after: bytes) -> None:
    """Read ``diff`` as another program would and apply it in memory.

    Raises:
        SourceError: of kind ``internal`` where the outcome is not ``after``.
    """
    try:
        (file,) = PatchSet(StringIO(diff.decode("latin-1"), newline="\n"))
    except (UnidiffParseError, ValueError) as error:
        raise SourceError("internal", f"the diff of this file can't be read back: {error}") from error
    if _apply(file, _lines(before)).encode("latin-1") != after:
        raise SourceError("internal", "the diff of this file does not give what a fix would write")


def _apply(file: PatchedFile, old: list[str]) -> str:
    new: list[str] = []
    done = 0
    for hunk in file:
        start = hunk.source_start - 1 if hunk.source_length else hunk.source_start
        new += old[done:start]
        done = start + hunk.source_length
        is_new = False
        for line in hunk:
            if line.is_added or line.is_context:
                new.append(line.value)
            elif is_new and line.line_type == LINE_TYPE_NO_NEWLINE:
                new[-1] = new[-1].removesuffix("\n")
            is_new = line.is_added or line.is_context
    return "".join([*new, *old[done:]])


def _lines(content: bytes) -> list[str]:
    lines = content.decode("latin-1").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _file_name(prefix: str, path: str) -> bytes:
    """Return the name as git writes it: in quotes where it holds odd bytes, with a tab behind it for blanks."""
    name = prefix.encode() + os.fsencode(path)
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in name):
        return name + b"\t" if b" " in name else name
    return b'"%b"' % "".join(map(_quote, name)).encode("ascii")


def _quote(byte: int) -> str:
    if byte in _ESCAPES:
        return f"\\{_ESCAPES[byte]}"
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
