"""Where statements stand."""

from __future__ import annotations

import pytest
from asking import statement

from prepare_fix.codemods.blocks import indent_unit, line_end, line_start, locate
from prepare_fix.errors import CannotRewriteError
from prepare_fix.sources.text import SourceText, Span


@pytest.mark.parametrize(
    ("text", "siblings", "index"),
    [
        ("a\nat\n", ["a", "at"], 1),
        ("try:\n    a\nexcept E:\n    at; b\nelse:\n    c\n", ["at", "b"], 0),
        ("for x in y: z\nelse:\n    at", ["at"], 0),
        ("try:\n    a\nfinally:\n    b\n    at\n", ["b", "at"], 1),
        ("match é:\n    case '🚀':\n        at\n", ["at"], 0),
        ("while x:\n    @d\n    def f(): pass\n    at", ["@d\n    def f(): pass", "at"], 1),
    ],
)
def test_neighbours(text: str, siblings: list[str], index: int) -> None:
    source = SourceText(text)
    standing = locate(source, statement(text, "at"))
    assert [source.slice(span) for span in standing.siblings] == siblings
    assert standing.index == index
    assert standing.is_alone == (len(siblings) == 1)
    assert standing.previous == (standing.siblings[index - 1] if index else None)
    assert standing.following == (standing.siblings[index + 1] if siblings[-1] != "at" else None)


def test_decorators_belong_to_the_statement() -> None:
    text = "@a(\n  b\n)\n@c\nclass D: pass\n"
    source = SourceText(text)
    for start in (0, text.index("@c"), text.index("class")):
        assert source.slice(locate(source, Span(start, len(text) - 1)).span) == text.strip()


@pytest.mark.parametrize("text", ["a + b", "a ="])
def test_what_is_no_statement_is_refused(text: str) -> None:
    with pytest.raises(CannotRewriteError):
        locate(SourceText(text), Span(0, 1))


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("at", "    "),
        ("if x: y\nat", "    "),
        ("if x:\n  y\nat", "  "),
        ("if x:\n  y\nif z:\n\tat", "\t"),
        ("class A:\n   def f():\n     at", "  "),
        ("if (x and\n y): z\nif x:\n\ty\nat", "\t"),
        ("try:\n  at\nexcept E:\n  y", "  "),
    ],
)
def test_indentation_is_that_of_the_place(text: str, unit: str) -> None:
    assert indent_unit(SourceText(text), statement(text, "at")) == unit


def test_lines() -> None:
    source = SourceText("ab\r\nc")
    assert [line_start(source, offset) for offset in (0, 3, 4, 5)] == [0, 0, 4, 4]
    assert [line_end(source, offset) for offset in (0, 3, 4, 5)] == [4, 4, 5, 5]
