"""The page of a rule for a terminal: lines of its width, headings and code apart from the words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prepare_fix.reporting.screen import Screen

_FENCE = re.compile(r"^```\w*\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
_BLANK = re.compile(r"\n\s*\n")
_INDENT = "    "


def format_page(page: str, screen: Screen) -> str:
    """Return a page, which is Markdown of headings, paragraphs, lists and fenced Python, for ``screen``."""
    pieces = enumerate(_FENCE.split(page))
    blocks = (block for index, piece in pieces for block in _format(piece, screen, is_code=bool(index % 2)))
    return "\n\n".join(blocks) + "\n"


def _format(piece: str, screen: Screen, *, is_code: bool) -> Iterator[str]:
    if is_code:
        yield _format_code(piece.rstrip("\n"), screen)
        return
    for block in _BLANK.split(piece.strip()):
        if block.startswith("#"):
            yield screen.paint(block.lstrip("# "), bold=True)
        elif block.startswith("- "):
            items = re.split(r"^- ", block, flags=re.MULTILINE)[1:]
            yield "\n".join(line for item in items for line in screen.wrap(_unfold(item), "- ", "  "))
        elif block:
            yield "\n".join(screen.wrap(_unfold(block), "", ""))


def _unfold(text: str) -> str:
    return " ".join(text.split())


def _format_code(code: str, screen: Screen) -> str:
    if screen.is_coloured:
        from pygments import highlight
        from pygments.formatters.terminal import TerminalFormatter
        from pygments.lexers.python import PythonLexer

        code = highlight(code, PythonLexer(), TerminalFormatter()).rstrip("\n")
    return "\n".join(f"{_INDENT}{line}" if line else "" for line in code.split("\n"))
