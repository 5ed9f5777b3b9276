"""A Python module: from bytes to text, and back without touching a byte that no edit touches."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass

from prepare_fix.errors import SourceError
from prepare_fix.sources.text import Part, SourceText, Span, splice

_FIRST_LINES = re.compile(rb"(?:[^\r\n]*(?:\r\n|\r|\n|$)){2}")
_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Module:
    """The bytes of a module and the text that they hold; a byte order mark is no part of the text."""

    source: SourceText
    raw: bytes
    encoding: str
    bom: bytes = b""

    @property
    def programs(self) -> tuple[SourceText, ...]:
        """The texts to look at, each a program of its own."""
        return (self.source,)

    @property
    def file_text(self) -> str:
        """The text of the file, less a byte order mark."""
        return self.source.text

    def in_file(self, span: Span) -> Span:
        """Return where in ``file_text`` the text at ``span`` is."""
        return span

    def changes_in_file(self, changes: Sequence[tuple[Span, str]]) -> list[tuple[Span, str]]:
        """Return what ``replaced`` changes in ``file_text``; ``changes`` are those given to it."""
        return list(changes)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The code as people read it."""
        return (Part(0, self.source.text),)

    def replaced(self, changes: Sequence[tuple[Span, str]]) -> Module:
        """Return the module with a new string at each span; the spans are sorted and do not overlap.

        Raises:
            SourceError: the encoding has no way to write the new text, or would write the old one otherwise.
        """
        if self.bom + _encode(self.source.text, self.encoding) != self.raw:
            raise SourceError("encoding", f"the text would not survive being written as {self.encoding}")
        text = splice(self.source.text, changes)
        source = SourceText(text, self.source.path, in_tree=self.source.in_tree)
        return Module(source, self.bom + _encode(text, self.encoding), self.encoding, self.bom)


def read_module(raw: bytes, path: str, *, in_tree: bool = False) -> Module:
    """Decode ``raw`` as Python would: byte order mark, coding cookie, else UTF-8.

    ``in_tree`` says that the bytes are those of the file at ``path``.

    Raises:
        SourceError: of kind ``encoding``, with the line of the cookie or of the first bad byte.
    """
    encoding = _find_encoding(raw)
    bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    body = raw[len(bom) :]
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(_LINE_END.findall(body, 0, error.start)) + 1
        raise SourceError("encoding", f"byte 0x{body[error.start]:02x} is no valid {encoding}", line) from error
    except (LookupError, ValueError) as error:
        raise SourceError("encoding", f"Python source can't be written in {encoding}", 1) from error
    return Module(SourceText(text, path, in_tree=in_tree), raw, encoding, bom)


def module_from_text(text: str, path: str, *, in_tree: bool = False) -> Module:
    """Return ``text`` as a module of UTF-8 bytes; ``in_tree`` says that it is the text of the file at ``path``."""
    bom = codecs.BOM_UTF8 if text.startswith("\ufeff") else b""
    body = text[1:] if bom else text
    return Module(SourceText(body, path, in_tree=in_tree), bom + body.encode("utf-8", "surrogatepass"), "utf-8", bom)


def _find_encoding(raw: bytes) -> str:
    from tokenize import detect_encoding

    # Lines are cut here, since ``detect_encoding`` takes a file with bare carriage returns for one line.
    match = _FIRST_LINES.match(raw)
    lines = iter((match.group() if match else b"").splitlines(keepends=True))
    try:
        encoding, _ = detect_encoding(lambda: next(lines, b""))
    except SyntaxError as error:
        raise SourceError("encoding", error.msg or "unknown encoding", 1) from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _encode(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise SourceError("encoding", f"{error.object[error.start]!r} can't be written in {encoding}") from error
    except UnicodeError as error:
        raise SourceError("encoding", f"the text can't be written in {encoding}") from error
