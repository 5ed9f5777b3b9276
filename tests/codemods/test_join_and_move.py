"""A call of ``prepare`` that takes one more object and moves behind its creation."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from asking import rewrite, sites, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import Addition, JoinPrepare


def join(text: str) -> str:
    repair = JoinPrepare(sites(text)[0], (Addition(1, "optimizer", "optimizer"),), statement(text, "optimizer ="))
    return rewrite(text, repair)


MOVES = {
    "the usual": (
        """
        net, loader = acc.prepare(net, loader)
        optimizer = Adam(net)

        train()
        """,
        """
        optimizer = Adam(net)
        net, optimizer, loader = acc.prepare(net, optimizer, loader)

        train()
        """,
    ),
    "comments and blank lines": (
        """
        a = 1

        # not this one

        # wrap for all
        # processes
        net, loader = acc.prepare(net, loader)  # here

        # the optimizer
        optimizer = Adam(
            net,
        )  # done
        # training
        train()
        """,
        """
        a = 1

        # not this one

        # the optimizer
        optimizer = Adam(
            net,
        )  # done
        # wrap for all
        # processes
        net, optimizer, loader = acc.prepare(net, optimizer, loader)  # here
        # training
        train()
        """,
    ),
    "no last line end": (
        """
        net = acc.prepare(net)
        optimizer = Adam(net)""",
        """
        optimizer = Adam(net)
        net, optimizer = acc.prepare(net, optimizer)""",
    ),
    "over lines": (
        """
        net, loader = acc.prepare(
            net,
            loader,
        )
        optimizer = Adam(net)
        """,
        """
        optimizer = Adam(net)
        net, optimizer, loader = acc.prepare(
            net,
            optimizer,
            loader,
        )
        """,
    ),
    "other indentation": (
        """
        if x:
            net, loader = acc.prepare(
                net,
                collate('''
            as it
        is'''),
            )  # c
            y = 1
        optimizer = Adam(net)
        """,
        """
        if x:
            y = 1
        optimizer = Adam(net)
        net, optimizer, loader = acc.prepare(
            net,
            optimizer,
            collate('''
            as it
        is'''),
        )  # c
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), MOVES.values(), ids=MOVES)
def test_call_moves_behind_a_creation(before: str, after: str, newline: str) -> None:
    before, after = (dedent(text).removeprefix("\n").replace("\n", newline) for text in (before, after))
    assert join(before) == after
    if "'''" not in before:
        before, after = (f"def f():{newline}" + indent(text, "\t") for text in (before, after))
        assert join(before) == after


def test_call_behind_the_creation_already_stays_in_place() -> None:
    text = "optimizer = Adam(net)\n\nnet = acc.prepare(net)\n"
    assert join(text) == "optimizer = Adam(net)\n\nnet, optimizer = acc.prepare(net, optimizer)\n"


REFUSED_MOVES = {
    "alone in its block": "if x:\n    m = acc.prepare(m)\noptimizer = 1\n",
    "shares its line": "m = acc.prepare(m); x = 1\noptimizer = 1\n",
    "behind another on its line": "x = 1; m = acc.prepare(m)\noptimizer = 1\n",
    "behind one that shares its line": "m = acc.prepare(m)\noptimizer = 1; x = 1\n",
    "behind one on the line of a header": "m = acc.prepare(m)\nif x: optimizer = 1\n",
}


@pytest.mark.parametrize("text", REFUSED_MOVES.values(), ids=REFUSED_MOVES)
def test_moves_that_are_refused(text: str) -> None:
    with pytest.raises(CannotRewriteError):
        join(text)
