"""Divisions that are dropped."""

from __future__ import annotations

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropDivision


@pytest.mark.parametrize(
    ("before", "division", "after"),
    [
        ("loss = loss / n", "loss / n", "loss = loss"),
        ("loss = f(x, y) / c['n']  # c", "f(x, y) / c['n']", "loss = f(x, y)  # c"),
        ("acc.backward(loss/n)", "loss/n", "acc.backward(loss)"),
        ("x = a * b / n", "a * b / n", "x = a * b"),
        ("x = a / b / n", "a / b / n", "x = a / b"),
        ("x = -loss / n + 1", "-loss / n", "x = -loss + 1"),
        ("x = (loss / n).item()", "loss / n", "x = (loss).item()"),
        ("x = (a + b) / n", "(a + b) / n", "x = a + b"),
        ("f(x, (a + b) / n)", "(a + b) / n", "f(x, a + b)"),
        ("f(y=(a + b) / n)", "(a + b) / n", "f(y=a + b)"),
        ("def f(): return (a + b) / n", "(a + b) / n", "def f(): return a + b"),
        ("x = 2 * ((a + b) / n)", "(a + b) / n", "x = 2 * (a + b)"),
        ("x = (a + b) / n * 2", "(a + b) / n", "x = (a + b) * 2"),
        ("x += (a + b) / n", "(a + b) / n", "x += (a + b)"),
        ("x == (a + b) / n", "(a + b) / n", "x == (a + b)"),
        ("x = (y := 1) / n", "(y := 1) / n", "x = (y := 1)"),
        ("x = (\n    a\n    + b\n) / n\n", "(\n    a\n    + b\n) / n", "x = (\n    a\n    + b\n)\n"),
        ("x = (\n    损 / (\n        n\n    )\n)", "损 / (\n        n\n    )", "x = (\n    损\n)"),
    ],
)
def test_what_is_divided_is_left(before: str, division: str, after: str) -> None:
    assert rewrite(before, DropDivision(expression(before, division))) == after


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a // b", "the expression is no division"),
        ("a * b", "the expression is no division"),
        ("a", "there is no BinaryOperation at offset 0"),
        ("f(a / b)", "there is no BinaryOperation at offset 0"),
        ("(a  # c\n/ b)", "a comment stands within the division"),
        ("(a / (  # c\nb))", "a comment stands within the division"),
    ],
)
def test_other_shapes_are_refused(text: str, reason: str) -> None:
    code = text.removeprefix("(").removesuffix(")") if text.startswith("(a") else text
    with pytest.raises(CannotRewriteError, match=f"^{reason}$"):
        rewrite(text, DropDivision(expression(text, code)))
