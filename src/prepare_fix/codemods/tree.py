"""The parsed text of one statement or expression, and the nodes at spans of the file.

Only the few lines that a repair touches are parsed: a whole file takes LibCST a hundred times as long. A slice
renders back to exactly its own text, so offsets in it are offsets in the file, moved by where the slice starts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeVar, cast

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText, Span

_Node = TypeVar("_Node", bound=cst.CSTNode)


@dataclass(frozen=True)
class Tree:
    """A parsed slice. Spans that go in and come out are spans of the file."""

    module: cst.Module
    spans: Mapping[cst.CSTNode, Span]

    def code(self, node: cst.CSTNode) -> str:
        """Return the source of ``node``, its own parentheses included."""
        return self.module.code_for_node(node)

    def span(self, node: cst.CSTNode) -> Span:
        """Return where ``node`` stands in the file, without its own parentheses (as in ``ast``)."""
        return self.spans[node]

    def nodes(self, kind: type[_Node]) -> Iterator[_Node]:
        """Yield the nodes of ``kind`` from the top down, inner ones before those around them."""
        return (node for node in self.spans if isinstance(node, kind))

    def find(self, span: Span, kind: type[_Node]) -> _Node:
        """Return the node of ``kind`` at exactly ``span``.

        Raises:
            CannotRewriteError: there is none.
        """
        for node in self.nodes(kind):
            if self.spans[node] == span:
                return node
        raise CannotRewriteError(f"there is no {kind.__name__} at offset {span.start}")

    def find_place(self, span: Span) -> cst.Name | cst.Attribute | cst.Subscript:
        """Return the name, attribute or subscript at exactly ``span``.

        Raises:
            CannotRewriteError: there is none.
        """
        for node, place in self.spans.items():
            if place == span and isinstance(node, (cst.Name, cst.Attribute, cst.Subscript)):
                return node
        raise CannotRewriteError(f"there is no name, attribute or subscript at offset {span.start}")

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments, as they stand from the top down."""
        return tuple(comment.value for comment in self.nodes(cst.Comment))

    @property
    def statement(self) -> cst.BaseSmallStatement:
        """The simple statement that was parsed.

        Raises:
            CannotRewriteError: it is a compound statement, or more than one.
        """
        line = self.module.body[0] if len(self.module.body) == 1 else None
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            raise CannotRewriteError("the call does not stand in a simple statement of its own")
        return line.body[0]


def parse_statement(source: SourceText, span: Span) -> Tree:
    """Return the tree of the statement at ``span``.

    Raises:
        CannotRewriteError: LibCST does not read the text there as a statement.
    """
    return _parse(source.slice(span), span.start)


def parse_expression(source: SourceText, span: Span) -> Tree:
    """Return the tree of the expression at ``span``.

    Raises:
        CannotRewriteError: LibCST does not read the text there as an expression.
    """
    # The parentheses let an expression go over several lines that does so inside brackets of its surroundings.
    return _parse(f"({source.slice(span)})", span.start - 1)


def parse_lines(text: str, start: int = 0) -> Tree:
    """Return the tree of whole lines, of whatever indentation; ``start`` is the offset of the first.

    Raises:
        CannotRewriteError: LibCST does not read the text as statements.
    """
    header = "if 1:\n" if text[:1] in (" ", "\t", "\f") else ""
    # LibCST loses a last line end that is a carriage return alone.
    return _parse(header + text.rstrip("\r\n"), start - len(header))


def _parse(text: str, start: int) -> Tree:
    try:
        module = cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise CannotRewriteError(f"LibCST can't read the code: {error.message}") from error
    if module.code != text:
        raise CannotRewriteError("LibCST does not give the code back as it stands")
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    found = cast("Mapping[cst.CSTNode, CodeSpan]", wrapper.resolve(ByteSpanPositionProvider))
    # Where each character begins, in bytes.
    starts: Sequence[int] = range(len(text) + 1)
    if not text.isascii():
        starts = list(accumulate((len(character.encode("utf-8")) for character in text), initial=0))
    return Tree(module, {node: _to_span(starts, place, start) for node, place in found.items()})


def _to_span(starts: Sequence[int], place: CodeSpan, start: int) -> Span:
    first, last = (bisect_left(starts, offset) for offset in (place.start, place.start + place.length))
    return Span(start + first, start + last)


def needs_parentheses(node: cst.CSTNode) -> bool:
    """Return whether ``node`` would not be one argument or value without the parentheses around it."""
    return isinstance(node, (cst.GeneratorExp, cst.NamedExpr, cst.Tuple, cst.Yield))


def check_boundaries(source: SourceText, span: Span) -> None:
    """Raise :class:`CannotRewriteError` where ``span`` begins or ends within a word."""
    for offset in (span.start, span.end):
        if re.fullmatch(r"\w\w", source.text[max(offset - 1, 0) : offset + 1]):
            raise CannotRewriteError(f"there is no expression of its own at offset {offset}")
