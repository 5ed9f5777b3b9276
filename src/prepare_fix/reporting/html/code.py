"""Source code as HTML: coloured by token, with the words that a change touches marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Token, _TokenType, is_token_subtype

from prepare_fix.reporting.screen import printable
from prepare_fix.sources.text import Span

# The first that a token is a part of gives its class; what has none is plain.
_CLASSES = (
    (Token.Comment, "c"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "m"),
    (Token.Name.Decorator, "d"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
)
_WORD = re.compile(r"\w+|\s+|.")
_lexer = PythonLexer()

Piece = tuple[str, str]
"""A class, or an empty one, and the text that has it."""


def highlight(lines: Sequence[str]) -> list[list[Piece]]:
    """Return the pieces of each of ``lines``, which have no line ends and follow each other."""
    # Without the lexer's own clean-up: that would drop blanks and empty lines.
    tokens = _lexer.get_tokens_unprocessed("\n".join(lines))
    found: list[list[Piece]] = [[]]
    for name, group in groupby(((_class_of(kind), text) for _, kind, text in tokens), lambda piece: piece[0]):
        first, *others = "".join(text for _, text in group).split("\n")
        found[-1].append((name, first))
        found += [[(name, text)] for text in others]
    return found[: len(lines)]


def _class_of(kind: _TokenType) -> str:
    return next((name for outer, name in _CLASSES if is_token_subtype(kind, outer)), "")


def render_line(pieces: Iterable[Piece], marked: Iterable[Span] = ()) -> Markup:
    """Return a line of code; ``marked`` are the parts that change, sorted."""
    parts = (_render_piece(name, text, is_marked) for name, text, is_marked in _cut(pieces, list(marked)))
    return Markup("").join(parts)


def _render_piece(name: str, text: str, is_marked: bool) -> Markup:
    shown = printable(text, keep="\t")
    told = Markup('<span class="{}">{}</span>').format(name, shown) if name else escape(shown)
    return Markup("<mark>{}</mark>").format(told) if is_marked else told


def _cut(pieces: Iterable[Piece], marked: Sequence[Span]) -> Iterator[tuple[str, str, bool]]:
    """Yield the pieces, cut where a mark begins or ends."""
    start = 0
    borders = [border for span in marked for border in (span.start, span.end)]
    for name, text in pieces:
        end = start + len(text)
        points = [start, *(border for border in borders if start < border < end), end]
        for low, high in pairwise(points):
            if low < high:
                yield name, text[low - start : high - start], any(s.start <= low < s.end for s in marked)
        start = end


def find_marks(old: str, new: str) -> tuple[list[Span], list[Span]]:
    """Return what of an old line goes and what of a new one comes; all of both is left unmarked where little stays."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.5:
        return [], []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        [_span(before, low, high) for _, low, high, _, _ in changes if low < high],
        [_span(after, low, high) for _, _, _, low, high in changes if low < high],
    )


def _span(words: Sequence[str], low: int, high: int) -> Span:
    start = len("".join(words[:low]))
    return Span(start, start + len("".join(words[low:high])))
