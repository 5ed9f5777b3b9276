"""Keyword arguments that come, change and go."""

from __future__ import annotations

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import SetKeywords


@pytest.mark.parametrize(
    ("before", "keywords", "after"),
    [
        ("f(a, sampler=s)", {"sampler": None, "shuffle": "True"}, "f(a, shuffle=True)"),
        ("f(a, sampler=s, n=1)", {"shuffle": "True", "sampler": None}, "f(a, shuffle=True, n=1)"),
        ("f(a=1)", {"a": None}, "f()"),
        ("f()", {"a": "1"}, "f(a=1)"),
        ("f(a, n = 1, *b, **c)", {"n": "g(2)"}, "f(a, n = g(2), *b, **c)"),
        ("f(a,n=1)", {"m": "2"}, "f(a,n=1,m=2)"),
        ("f(a, n=1,)", {"n": None, "a": "1"}, "f(a, a=1,)"),
        (
            "f(\n    a,\n    n=1,  # c\n    m=2,  # d\n)",
            {"n": None, "k": "3"},
            "f(\n    a,\n    m=2,  # d\n    k=3,\n)",
        ),
    ],
)
def test_keywords_are_set(before: str, keywords: dict[str, str | None], after: str) -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = f"é = {before}  # e\n".replace("\n", newline)
        call = expression(text, before.replace("\n", newline))
        expected = f"é = {after}  # e\n".replace("\n", newline)
        assert rewrite(text, SetKeywords(call, tuple(keywords.items()))) == expected


@pytest.mark.parametrize(
    ("text", "keywords"), [("f(a)", {"n": None}), ("f(x for x in y)", {"n": "1"}), ("f", {"n": "1"})]
)
def test_what_can_not_be_is_refused(text: str, keywords: dict[str, str | None]) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, SetKeywords(expression(text, text), tuple(keywords.items())))
