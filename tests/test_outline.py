"""Where statements stand beside each other."""

from __future__ import annotations

import ast

import pytest

from prepare_fix.flow.outline import Outline

APART = {
    "branches": "if a:\n  first()\nelse:\n  second()",
    "cases": "match a:\n  case 1:\n    first()\n  case 2:\n    second()",
    "handlers": "try:\n  a()\nexcept A:\n  first()\nexcept B:\n  second()",
    "body and handler": "try:\n  first()\nexcept A:\n  second()",
    "body and finally": "try:\n  first()\nfinally:\n  second()",
    "functions": "def f():\n  first()\ndef g():\n  second()",
}
TOGETHER = {
    "one block": "first()\nsecond()",
    "a branch in front": "if a:\n  first()\nsecond()",
    "a case in front": "match a:\n  case 1:\n    first()\nsecond()",
    "a handler in front": "try:\n  a()\nexcept A:\n  first()\nsecond()",
    "within one case": "match a:\n  case 1:\n    first()\n    while b:\n      second()",
}


def meeting(text: str) -> tuple[ast.stmt, ast.stmt] | None:
    tree = ast.parse(text)
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Expr)]
    first, second = (next(each for each in calls if ast.unparse(each) == name) for name in ("first()", "second()"))
    return Outline(tree).in_one_block(first, second)


@pytest.mark.parametrize("text", APART.values(), ids=APART)
def test_statements_of_blocks_that_exclude_each_other(text: str) -> None:
    assert meeting(text) is None


@pytest.mark.parametrize("text", TOGETHER.values(), ids=TOGETHER)
def test_statements_that_follow_each_other(text: str) -> None:
    met = meeting(text)
    assert met is not None
    assert met[0].lineno < met[1].lineno
