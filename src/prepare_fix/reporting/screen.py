"""Where people read: how wide it is, whether it has colours, and which characters can be drawn there."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import click

WIDTH = 80
"""Columns where nothing says how many there are."""
MIN_WIDTH = 60
"""Less is not drawn for: there, a terminal breaks the lines."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that a story is drawn with, one column each but for ``cut``.

    ``raw`` and ``prepared`` are the lines of an object before and after prepare, thin and thick; ``raw_event`` and
    ``prepared_event`` stand on them where something happens. ``cut`` stands for code that is left out.
    """

    raw: str
    prepared: str
    raw_event: str
    prepared_event: str
    cut: str


DRAWN = Glyphs("\N{BOX DRAWINGS LIGHT QUADRUPLE DASH VERTICAL}", "\N{BOX DRAWINGS HEAVY VERTICAL}", "○", "●", "…")
PLAIN = Glyphs(":", "#", "o", "@", "...")


@dataclass(frozen=True, slots=True)
class Screen:
    """``width`` is in columns. Without ``can_draw``, nothing but ASCII is drawn."""

    width: int = WIDTH
    is_coloured: bool = False
    can_draw: bool = False

    @property
    def glyphs(self) -> Glyphs:
        """What to draw with."""
        return DRAWN if self.can_draw else PLAIN

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """Return ``text`` in a colour, where there are any."""
        if not self.is_coloured or not text.strip():
            return text
        return click.style(text, fg=colour, bold=bold or None, dim=dim or None)

    def wrap(self, text: str, first: str, indent: str) -> list[str]:
        """Return ``text`` on lines of the screen's width: the first behind ``first``, the others behind ``indent``.

        Lines of prose are kept short enough to be read, however wide the screen is.
        """
        # A name in backticks may hold blanks, and is broken like all else: no code is lost by that.
        width = max(min(self.width, 100), len(indent) + 20)
        return textwrap.wrap(
            printable(text),
            width,
            initial_indent=first,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def printable(text: str, keep: str = "") -> str:
    """Return ``text`` on one line, with what would change a terminal, or can't be seen, as Python escapes it.

    The characters of ``keep`` stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else ascii(c)[1:-1] for c in text)


def columns(text: str) -> int:
    """Return how many columns of a terminal ``text`` takes."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    def width(char: str) -> int:
        # Marks stand on the character in front, and so do vowels and last consonants of Hangul.
        if category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
            return 0
        return 2 if east_asian_width(char) in "WF" else 1

    return sum(map(width, text))
