"""Uses of another place."""

from __future__ import annotations

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import RenameUses
from prepare_fix.sources.text import Span


@pytest.mark.parametrize(
    ("text", "use", "place", "after"),
    [
        ("loss = net(x)", "net", "model", "loss = model(x)"),
        ("for b in s.raw:\n\tpass", "s.raw", "s.loader", "for b in s.loader:\n\tpass"),
        ("f(d['a'] [0])", "d['a'] [0]", "x", "f(x)"),
        ("é = 网(日)  # 网", "网", "model", "é = model(日)  # 网"),
        ("x = (a\n  . b)", "a\n  . b", "c", "x = (c)"),
        ("f(net=net)", "net", "s.m", "f(net=s.m)"),
    ],
)
def test_a_use_gets_another_place(text: str, use: str, place: str, after: str) -> None:
    nth = 1 if "net=net" in text else 0
    assert rewrite(text, RenameUses((expression(text, use, nth),), place)) == after


def test_all_uses_at_once() -> None:
    text = "opt.step()\nopt.zero_grad()\n"
    spans = (expression(text, "opt"), expression(text, "opt", 1))
    assert rewrite(text, RenameUses(spans, "optimizer")) == "optimizer.step()\noptimizer.zero_grad()\n"


@pytest.mark.parametrize(
    ("text", "use"), [("f(x)", "f(x)"), ("a + b", "a + b"), ("'net'", "net'"), ("models", "model"), ("a model", "mod")]
)
def test_what_is_no_place_is_refused(text: str, use: str) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite("x" if " m" in text else text, RenameUses((expression(text, use),), "m"))


def test_a_span_within_a_word_is_refused() -> None:
    with pytest.raises(CannotRewriteError):
        rewrite("unmodel", RenameUses((Span(2, 7),), "m"))
