"""Displays that are handed over element by element."""

from __future__ import annotations

import pytest
from asking import rewrite, sites

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import SpliceArgument


def splice(text: str, index: int = 0) -> str:
    return rewrite(text, SpliceArgument(sites(text)[0], index))


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("acc.prepare([m, o, d])", 0, "acc.prepare(m, o, d)"),
        ("acc.prepare((m, o))", 0, "acc.prepare(m, o)"),
        ("acc.prepare([m, *os,])", 0, "acc.prepare(m, *os)"),
        ("acc.prepare(m, [o, p], d)", 1, "acc.prepare(m, o, p, d)"),
        ("acc.prepare([m], [o], )", 1, "acc.prepare([m], o, )"),
        ("acc.prepare([\n    m,  # c\n    o,\n])", 0, "acc.prepare(\n    m,  # c\n    o,\n)"),
        ("acc.prepare((  # c\n    m,\n    o\n))", 0, "acc.prepare(  # c\n    m,\n    o\n)"),
        ("acc.prepare(\n    [m, o],\n)", 0, "acc.prepare(\n    m,\n    o,\n)"),
        ("acc.prepare(\n    [\n        m,\n        o,\n    ],\n)", 0, "acc.prepare(\n    m,\n    o,\n)"),
        ("acc.prepare(\n    [\n        m,  # c\n        o,\n    ]\n)", 0, "acc.prepare(\n    m,  # c\n    o,\n)"),
        ("acc.prepare(\n    [\n        m,\n        o,  # c\n    ])", 0, "acc.prepare(\n    m,\n    o,  # c\n    )"),
        ("acc.prepare(\n    a,\n    [\n        m,\n        o,\n    ]\n)", 1, "acc.prepare(\n    a,\n    m,\n    o\n)"),
    ],
)
def test_elements_become_arguments(before: str, index: int, after: str) -> None:
    for newline in ("\n", "\r\n", "\r"):
        for text in ("m, o, d = {}  # c", "x = 1\nif x:\n\tm, o, d = {}\n"):
            whole = text.replace("\n", newline).format(before.replace("\n", newline))
            assert splice(whole, index) == text.replace("\n", newline).format(after.replace("\n", newline))


NO_DISPLAY = "the argument is no list or tuple written out in the call"


@pytest.mark.parametrize(
    ("text", "index", "reason"),
    [
        ("m = acc.prepare(m)", 0, NO_DISPLAY),
        ("m = acc.prepare([])", 0, "the list holds no objects"),
        ("m = acc.prepare([m])", 1, "the call has fewer arguments than expected"),
        ("m = acc.prepare([x for x in y])", 0, NO_DISPLAY),
        ("m = acc.prepare({m, o})", 0, NO_DISPLAY),
        ("m = acc.prepare(*[m, o])", 0, "the arguments of the call are not counted: one of them has a star"),
        (
            "m = acc.prepare([m, o], device_placement=[True])",
            0,
            "`device_placement` has one entry for all of the display",
        ),
        ("m = acc.prepare([\n    m,  # c\n    o,\n], d)", 0, "comments stand in the list"),
    ],
)
def test_other_shapes_are_refused(text: str, index: int, reason: str) -> None:
    with pytest.raises(CannotRewriteError, match=f"^{reason}$"):
        splice(text, index)
