"""Where a statement stands: its block, its neighbours there, and how they are indented."""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText, Span

_STANDARD_UNIT = "    "


@dataclass(frozen=True, slots=True)
class Standing:
    """The statements of one block, and which of them is meant."""

    siblings: tuple[Span, ...]
    index: int

    @property
    def span(self) -> Span:
        """The statement that is meant, its decorators included."""
        return self.siblings[self.index]

    @property
    def is_alone(self) -> bool:
        """Whether no other statement stands in the block."""
        return len(self.siblings) == 1

    @property
    def previous(self) -> Span | None:
        """The statement in front."""
        return self.siblings[self.index - 1] if self.index else None

    @property
    def following(self) -> Span | None:
        """The statement behind."""
        return self.siblings[self.index + 1] if self.index + 1 < len(self.siblings) else None


def locate(source: SourceText, span: Span) -> Standing:
    """Return where the statement at ``span`` stands (decorators may be left out of the span).

    Raises:
        CannotRewriteError: no statement stands there.
    """
    for _, body in _blocks(parse(source.text)):
        for index, statement in enumerate(body):
            if _to_span(source, statement).end == span.end and span.start in _starts(source, statement):
                return Standing(tuple(_to_span(source, sibling) for sibling in body), index)
    raise CannotRewriteError(f"there is no statement at offset {span.start}")


def indent_unit(source: SourceText, span: Span) -> str:
    """Return one step of indentation, as it is used where the statement at ``span`` stands."""
    own = source.indentation(span.start)
    units: list[str] = []
    for owner, body in _blocks(parse(source.text)):
        if not isinstance(owner, ast.stmt):
            continue
        outer = source.indentation(_to_span(source, owner).start)
        first = _to_span(source, body[0]).start
        inner = source.text[line_start(source, first) : first]
        if inner.isspace() and inner.startswith(outer):
            units.append(inner[len(outer) :])
            if inner == own:
                return units[-1]
    return units[0] if units else _STANDARD_UNIT


def line_start(source: SourceText, offset: int) -> int:
    """Return where the line of the character at ``offset`` begins."""
    return source.line_starts[bisect_right(source.line_starts, offset) - 1]


def line_end(source: SourceText, offset: int) -> int:
    """Return where the line of the character at ``offset`` ends, its line end included."""
    following = bisect_right(source.line_starts, offset)
    return source.line_starts[following] if following < len(source.line_starts) else len(source.text)


@lru_cache(maxsize=4)
def parse(text: str) -> ast.Module:
    """Return the module ``text``.

    Raises:
        CannotRewriteError: it is not valid Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError) as error:
            raise CannotRewriteError("the file is not valid Python") from error


def _blocks(module: ast.Module) -> Iterator[tuple[ast.AST, Sequence[ast.stmt]]]:
    for node in ast.walk(module):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield node, body


def _to_span(source: SourceText, node: ast.stmt) -> Span:
    return Span(min(_starts(source, node)), source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0))


def _starts(source: SourceText, node: ast.stmt) -> set[int]:
    starts = {source.offset(node.lineno, node.col_offset)}
    for decorator in getattr(node, "decorator_list", []):
        starts.add(source.text.rindex("@", 0, source.offset(decorator.lineno, decorator.col_offset)))
    return starts
