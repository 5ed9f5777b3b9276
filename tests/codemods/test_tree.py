"""Slices of a file as trees, and spans there and back."""

from __future__ import annotations

import libcst as cst
import pytest

from prepare_fix.codemods.tree import parse_expression, parse_lines, parse_statement
from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText, Span

STATEMENT = "é, 𐐀 = acc.prepare(\n\té,\f # ü\n  𐐀, \\\n '''\n''')"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lead", ["", "x = '🚀'\n", "if é:\n\t"])
def test_spans_are_those_of_the_file(lead: str, newline: str) -> None:
    statement = STATEMENT.replace("\n", newline)
    start = len(lead.replace("\n", newline))
    source = SourceText(lead.replace("\n", newline) + statement + "  # c")
    tree = parse_statement(source, Span(start, start + len(statement)))
    call = next(tree.nodes(cst.Call))
    assert source.slice(tree.span(call)) == statement[len("é, 𐐀 = ") :] == tree.code(call)
    assert tree.find(tree.span(call), cst.Call) is call
    assert [source.slice(tree.span(arg.value)) for arg in call.args] == ["é", "𐐀", f"'''{newline}'''"]
    assert tree.comments == ("# ü",)


def test_parentheses_are_not_part_of_a_span() -> None:
    source = SourceText("x = (a + b) / (c)")
    tree = parse_expression(source, Span(4, 17))
    assert [source.slice(tree.span(node)) for node in tree.nodes(cst.BinaryOperation)] == ["a + b", "(a + b) / (c)"]
    assert tree.find_place(Span(15, 16)) is not None


def test_expression_over_lines_of_outer_brackets() -> None:
    source = SourceText("f(a\n  . b)")
    assert source.slice(parse_expression(source, Span(2, 9)).find_place(Span(2, 9)) and Span(2, 9)) == "a\n  . b"


@pytest.mark.parametrize("text", ["  a\n  b\n", "a\n", "\ta\r\tb\r", "\f a"])
def test_whole_lines(text: str) -> None:
    tree = parse_lines(text, 10)
    first = next(tree.nodes(cst.Name))
    assert tree.span(first).start == 10 + text.index("a")


@pytest.mark.parametrize("text", ["x = = y", "x = (", "'\n'", "if x:"])
def test_what_is_no_python_is_refused(text: str) -> None:
    with pytest.raises(CannotRewriteError):
        parse_statement(SourceText(text), Span(0, len(text)))


@pytest.mark.parametrize("text", ["a\nb", "a; b", "if x: a"])
def test_what_is_no_simple_statement_is_refused(text: str) -> None:
    tree = parse_statement(SourceText(text), Span(0, len(text)))
    with pytest.raises(CannotRewriteError):
        _ = tree.statement


def test_what_is_not_found_is_refused() -> None:
    tree = parse_expression(SourceText("a"), Span(0, 1))
    with pytest.raises(CannotRewriteError):
        tree.find(Span(0, 1), cst.Call)
    with pytest.raises(CannotRewriteError):
        tree.find_place(Span(1, 1))


def test_text_that_libcst_does_not_keep_is_refused() -> None:
    with pytest.raises(CannotRewriteError):
        parse_statement(SourceText("\ufeffx"), Span(0, 2))
