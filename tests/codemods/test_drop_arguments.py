"""Objects that are left out of ``prepare``."""

from __future__ import annotations

from textwrap import dedent

import pytest
from asking import rewrite, sites

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropArguments


def drop(text: str, *indexes: int) -> str:
    return rewrite(text, DropArguments(sites(text)[0], indexes))


@pytest.mark.parametrize(
    ("before", "indexes", "after"),
    [
        ("m, o, s = acc.prepare(m, o, s)", (2,), "m, o = acc.prepare(m, o)"),
        ("m, o, s = acc.prepare(m, o, s)", (0,), "o, s = acc.prepare(o, s)"),
        ("(m, o, s,) = acc.prepare(m, o, s,)", (1,), "(m, s,) = acc.prepare(m, s,)"),
        ("m, o, s = acc.prepare(m, o, s)", (2, 0), "o = acc.prepare(o)"),
        ("(m, o) = acc.prepare(m, o,)", (1,), "m = acc.prepare(m,)"),
        ("[m, o] = acc.prepare(m, o)", (0,), "o = acc.prepare(o)"),
        ("m,o=acc.prepare(m,o)", (1,), "m=acc.prepare(m)"),
        ("acc.prepare(m, o)  # c", (1,), "acc.prepare(m)  # c"),
        ("m, o = acc.prepare(m, o, device_placement=None)", (1,), "m = acc.prepare(m, device_placement=None)"),
        (
            "m, o = acc.prepare(m, o, device_placement=[True, False])",
            (0,),
            "o = acc.prepare(o, device_placement=[False])",
        ),
    ],
)
def test_on_one_line(before: str, indexes: tuple[int, ...], after: str) -> None:
    assert drop(before, *indexes) == after


OVER_LINES = {
    "one a line": (
        """
        (
            model,  # m
            # about s
            scheduler,  # s
            # about l
            loader,  # l
        ) = accelerator.prepare(
            model,  # m
            # about s
            scheduler,  # s
            # about l
            loader  # l
        )
        """,
        (1,),
        """
        (
            model,  # m
            # about s
            # about l
            loader,  # l
        ) = accelerator.prepare(
            model,  # m
            # about s
            # about l
            loader  # l
        )
        """,
    ),
    "the last one": (
        """
        model, loader = accelerator.prepare(
            model,  # m
            loader  # l
        )
        """,
        (1,),
        """
        model = accelerator.prepare(
            model  # m
        )
        """,
    ),
    "the first one": (
        """
        model, loader = accelerator.prepare(  # all
            model,  # m
            loader  # l
        )
        """,
        (0,),
        """
        loader = accelerator.prepare(  # all
            loader  # l
        )
        """,
    ),
    "the first one, and a comment about the next": (
        """
        model, loader = accelerator.prepare(
            model,  # m
            # about l
            loader,
        )
        """,
        (0,),
        """
        loader = accelerator.prepare(
            # about l
            loader,
        )
        """,
    ),
    "in rows": (
        """
        a, b, c, d = accelerator.prepare(
            a, b,  # one
            c, d,  # two
        )
        """,
        (1, 2),
        """
        a, d = accelerator.prepare(
            a,  # one
            d,  # two
        )
        """,
    ),
    "under the first": (
        """
        model, loader = accelerator.prepare(model,  # m
                                            loader)
        """,
        (1,),
        """
        model = accelerator.prepare(model  # m
                                    )
        """,
    ),
    "placement over lines": (
        """
        a, b = accelerator.prepare(
            a,
            b,
            device_placement=[
                True,
                False,  # b
            ],
        )
        """,
        (1,),
        """
        a = accelerator.prepare(
            a,
            device_placement=[
                True,
            ],
        )
        """,
    ),
    "comma on a line of its own": (
        """
        a, b = accelerator.prepare(
            a  # a
            ,
            b
        )
        """,
        (1,),
        """
        a = accelerator.prepare(
            a  # a
        )
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "indexes", "after"), OVER_LINES.values(), ids=OVER_LINES)
def test_over_lines(before: str, indexes: tuple[int, ...], after: str, newline: str) -> None:
    before, after = (dedent(text).replace("\n", newline) for text in (before, after))
    assert drop(before, *indexes) == after


def test_what_was_broken_for_its_length_is_joined_where_it_fits() -> None:
    names = [f"the_{word}_with_its_long_name" for word in ("model", "loader", "scheduler")]
    rows = "{} = accelerator.prepare(\n    {}\n)\n"
    line = "{} = accelerator.prepare({})\n"
    all_of_them, two = ", ".join(names), ", ".join(names[:2])
    assert len(line.format(all_of_them, all_of_them)) > 120 > len(line.format(names[0], two)) + 4
    assert drop(rows.format(all_of_them, all_of_them), 1, 2) == line.format(names[0], names[0])
    short = rows.format("a, b", "a, b")
    assert drop(short, 1) == rows.format("a", "a"), "this was not broken for its length"


@pytest.mark.parametrize(
    ("text", "indexes", "reason"),
    [
        ("m = acc.prepare(m)", (0,), "no argument would be left in the call"),
        ("m, o = acc.prepare(m, o)", (), "the call has fewer arguments than expected"),
        ("m, o = acc.prepare(m, o)", (2,), "the call has fewer arguments than expected"),
        ("both = acc.prepare(m, o)", (1,), "the call has not as many targets as arguments"),
        ("m = acc.prepare(m, o)[0]", (1,), "the call has not as many targets as arguments"),
        ("m, *o = acc.prepare(m, *o)", (0,), "the objects of the call are not counted: one of them has a star"),
        (
            "m, o = acc.prepare(m, o, device_placement=[True])",
            (1,),
            "`device_placement` does not have one entry for each argument",
        ),
        ("m, o = acc.prepare(m, o, device_placement=x)", (1,), "`device_placement` is not written out as a list"),
    ],
)
def test_other_shapes_are_refused(text: str, indexes: tuple[int, ...], reason: str) -> None:
    with pytest.raises(CannotRewriteError, match=f"^{reason}$"):
        drop(text, *indexes)
