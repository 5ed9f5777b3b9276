"""Expressions that are replaced."""

from __future__ import annotations

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import ReplaceExpression


def test_expression_gives_way() -> None:
    text = "é = f(model\n  .parameters())"
    repair = ReplaceExpression(expression(text, "model\n  .parameters()"), "params")
    assert rewrite(text, repair) == "é = f(params)"


@pytest.mark.parametrize(("text", "old"), [("f(a, b)", "a, b)"), ("model", "mod"), ("f(a  # c\n+ b)", "a  # c\n+ b")])
def test_what_is_no_expression_is_refused(text: str, old: str) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, ReplaceExpression(expression(text, old), "x"))
