"""One call of ``prepare`` out of two."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from asking import rewrite, sites

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import MergePrepares


def merge(text: str) -> str:
    first, second = sites(text)
    return rewrite(text, MergePrepares(first, second))


MERGES = {
    "neighbours": (
        """
        model = acc.prepare(model)
        optimizer, loader = acc.prepare(optimizer, loader)
        """,
        """
        model, optimizer, loader = acc.prepare(model, optimizer, loader)
        """,
    ),
    "first one before a blank line": (
        """
        optimizer = Adam(model)
        model = acc.prepare(model)

        loader = DataLoader()
        optimizer, loader = acc.prepare(optimizer, loader)
        """,
        """
        optimizer = Adam(model)

        loader = DataLoader()
        model, optimizer, loader = acc.prepare(model, optimizer, loader)
        """,
    ),
    "blank lines around, comments": (
        """
        start()

        # the net first
        model = acc.prepare(model)  # as told by the manual

        optimizer = Adam(model)

        # now the rest
        optimizer, loader = acc.prepare(
            optimizer,  # o
            loader,
        )  # done
        """,
        """
        start()

        optimizer = Adam(model)

        # the net first
        # as told by the manual
        # now the rest
        model, optimizer, loader = acc.prepare(
            model,
            optimizer,  # o
            loader,
        )  # done
        """,
    ),
    "comments within the first": (
        """
        (
            a,  # one
            b,
        ) = acc.prepare(
            # two
            a,
            b,
        )
        c = acc.prepare(c)
        """,
        """
        # one
        # two
        a, b, c = acc.prepare(a, b, c)
        """,
    ),
    "methods for one object": (
        """
        model = acc.prepare_model(model)
        x = 1
        optimizer = acc.prepare_optimizer(optimizer)
        """,
        """
        x = 1
        model, optimizer = acc.prepare(model, optimizer)
        """,
    ),
    "placements": (
        """
        a, b = acc.prepare(a, b, device_placement=[True, False])
        c = acc.prepare(c, device_placement=[x])
        """,
        """
        a, b, c = acc.prepare(a, b, c, device_placement=[True, False, x])
        """,
    ),
    "placement of the first": (
        """
        a, b = acc.prepare(a, b, device_placement=[True, False])
        c, d = acc.prepare(c, d)
        """,
        """
        a, b, c, d = acc.prepare(a, b, c, d, device_placement=[True, False, None, None])
        """,
    ),
    "placement of the second": (
        """
        a, b = acc.prepare(a, b)
        c, d = acc.prepare(
            c,
            d,
            device_placement=[
                False,
                x,
            ],
        )
        """,
        """
        a, b, c, d = acc.prepare(
            a,
            b,
            c,
            d,
            device_placement=[
                None,
                None,
                False,
                x,
            ],
        )
        """,
    ),
    "second at another depth": (
        """
        # for all
        a = acc.prepare(a)
        if x:
            b = acc.prepare(b)
        """,
        """
        if x:
            # for all
            a, b = acc.prepare(a, b)
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), MERGES.values(), ids=MERGES)
def test_calls_become_one(before: str, after: str, newline: str) -> None:
    for prefix in ("", "\t"):
        head = f"def f():{newline}" if prefix else ""
        old, new = (head + indent(dedent(text).strip(), prefix).replace("\n", newline) for text in (before, after))
        assert merge(old) == new
        assert merge(old + newline) == new + newline


@pytest.mark.parametrize(
    "text",
    [
        "if x:\n    a = acc.prepare(a)\nb = acc.prepare(b)",
        "a = one.prepare(a)\nb = two.prepare(b)",
        "acc.prepare(a)\nb = acc.prepare(b)",
        "a = acc.prepare(a)\nacc.prepare(b)",
        "a = acc.prepare(a)\nboth = acc.prepare(b, c)",
        "a, b = acc.prepare(a)\nc = acc.prepare(c)",
        "a = acc.prepare(a)\na, b = acc.prepare(a, b)",
        "a = acc.prepare(*a)\nb = acc.prepare(b)",
        "a = acc.prepare_model(a, evaluation_mode=True)\nb = acc.prepare(b)",
        "a = acc.prepare_model(a, device_placement=[True])\nb = acc.prepare(b)",
        "a = acc.prepare(a, device_placement=[True, True])\nb = acc.prepare(b)",
        "a = acc.prepare(a, device_placement=places)\nb = acc.prepare(b)",
        "x = 1; a = acc.prepare(a)\nb = acc.prepare(b)",
    ],
)
def test_calls_that_do_not_fit_are_refused(text: str) -> None:
    with pytest.raises(CannotRewriteError):
        merge(text)
