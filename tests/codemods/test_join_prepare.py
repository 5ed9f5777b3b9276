"""More objects in a call of ``prepare``: every layout keeps its shape."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from asking import rewrite, sites

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import Addition, JoinPrepare

FIRST = Addition(0, "encoder", "encoder")
OPTIMIZER = Addition(1, "optimizer", "optimizer")
LAST = Addition(2, "scheduler", "scheduler")


def join(text: str, *additions: Addition) -> str:
    return rewrite(text, JoinPrepare(sites(text)[0], additions or (OPTIMIZER,)))


ON_ONE_LINE = {
    "m, d = acc.prepare(m, d)": "m, optimizer, d = acc.prepare(m, optimizer, d)",
    "m = acc.prepare(m)": "m, optimizer = acc.prepare(m, optimizer)",
    "m, = acc.prepare(m)": "m, optimizer = acc.prepare(m, optimizer)",
    "(m,) = acc.prepare(m)": "(m, optimizer) = acc.prepare(m, optimizer)",
    "[m] = acc.prepare(m)": "[m, optimizer] = acc.prepare(m, optimizer)",
    "[m, d] = acc.prepare(m, d)": "[m, optimizer, d] = acc.prepare(m, optimizer, d)",
    "((m, d)) = acc.prepare(m, d)": "((m, optimizer, d)) = acc.prepare(m, optimizer, d)",
    "m,d=acc.prepare(m,d)": "m,optimizer,d=acc.prepare(m,optimizer,d)",
    "m, d = acc.prepare(m, d,)": "m, optimizer, d = acc.prepare(m, optimizer, d,)",
    "m = acc.prepare( m )": "m, optimizer = acc.prepare( m, optimizer )",
    "m , d = acc.prepare (m , d)": "m , optimizer, d = acc.prepare (m , optimizer, d)",
    "m = (acc.prepare(m))": "m, optimizer = (acc.prepare(m, optimizer))",
    "s.m = s.acc.prepare(s.m)": "s.m, optimizer = s.acc.prepare(s.m, optimizer)",
    'o["m"], x = acc.prepare(o["m"], f"{x}")': 'o["m"], optimizer, x = acc.prepare(o["m"], optimizer, f"{x}")',
    "modèle, 数 = acc.prepare(modèle, 数)  # 🚀": "modèle, optimizer, 数 = acc.prepare(modèle, optimizer, 数)  # 🚀",
    "x = '🚀'; m = acc.prepare(m); y = 1": "x = '🚀'; m, optimizer = acc.prepare(m, optimizer); y = 1",
    "m, *r = acc.prepare(m, *r)": "m, optimizer, *r = acc.prepare(m, optimizer, *r)",
    "m = acc.prepare(m, device_placement=None)": "m, optimizer = acc.prepare(m, optimizer, device_placement=None)",
    "m = acc.prepare(m, device_placement=[False])": (
        "m, optimizer = acc.prepare(m, optimizer, device_placement=[False, True])"
    ),
    "m, d = acc.prepare(m, d, device_placement = [x, y])": (
        "m, optimizer, d = acc.prepare(m, optimizer, d, device_placement=[x, True, y])"
    ),
    "if 1: m = acc.prepare(m)": "if 1: m, optimizer = acc.prepare(m, optimizer)",
}


@pytest.mark.parametrize(("before", "after"), ON_ONE_LINE.items())
def test_one_line_stays_one_line(before: str, after: str) -> None:
    assert join(before) == after
    assert join(f"{before}\n") == f"{after}\n"
    wrapped = "class A:\n\tdef f(self):\n\t\tfor _ in x:\n{}"
    assert join(wrapped.format(indent(before, "\t\t\t"))) == wrapped.format(indent(after, "\t\t\t"))


OVER_LINES = {
    "one a line, trailing comma": (
        """
        model, loader = accelerator.prepare(
            model,
            loader,
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder,
            model,
            optimizer,
            loader,
            scheduler,
        )
        """,
    ),
    "one a line, no trailing comma": (
        """
        model, loader = accelerator.prepare(
            model,
            loader
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder,
            model,
            optimizer,
            loader,
            scheduler
        )
        """,
    ),
    "all on a line of their own": (
        """
        model, loader = accelerator.prepare(
            model, loader
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder, model, optimizer, loader, scheduler
        )
        """,
    ),
    "comments at the elements": (
        """
        (  # the results
            # the net
            model,  # in half precision
            # the data
            loader,  # sharded
            # that is all
        ) = accelerator.prepare(  # the objects
            # the net
            model,  # in half precision
            # the data
            loader  # sharded
            # that is all
        )
        """,
        """
        (  # the results
            encoder,
            # the net
            model,  # in half precision
            optimizer,
            # the data
            loader,  # sharded
            scheduler,
            # that is all
        ) = accelerator.prepare(  # the objects
            encoder,
            # the net
            model,  # in half precision
            optimizer,
            # the data
            loader,  # sharded
            scheduler
            # that is all
        )
        """,
    ),
    "comma on a line behind a comment": (
        """
        model, loader = accelerator.prepare(
            model  # the net
            ,
            loader
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder,
            model  # the net
            ,
            optimizer,
            loader,
            scheduler
        )
        """,
    ),
    "indented, open to the right": (
        """
        model, loader = accelerator.prepare(model,
            loader)
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(encoder,
            model,
            optimizer,
            loader,
            scheduler)
        """,
    ),
    "backslash between the targets": (
        """
        model, \\
            loader = \\
            accelerator.prepare(model, loader)
        """,
        """
        encoder, \\
            model, \\
            optimizer, \\
            loader, \\
            scheduler = \\
            accelerator.prepare(encoder, model, optimizer, loader, scheduler)
        """,
    ),
    "several in a row": (
        """
        (
            model, loader,  # first
        ) = accelerator.prepare(
            model, loader,  # first
        )
        """,
        """
        (
            encoder, model, optimizer, loader, scheduler,  # first
        ) = accelerator.prepare(
            encoder, model, optimizer, loader, scheduler,  # first
        )
        """,
    ),
    "placement on lines": (
        """
        model, loader = accelerator.prepare(
            model,
            loader,
            device_placement=[
                True,  # the net
                False,
            ],
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder,
            model,
            optimizer,
            loader,
            scheduler,
            device_placement=[
                True,
                True,  # the net
                True,
                False,
                True,
            ],
        )
        """,
    ),
    "lines in an element": (
        """
        model, loader = accelerator.prepare(
            model, DataLoader(
                data,  # all of it
            )
        )
        """,
        """
        encoder, model, optimizer, loader, scheduler = accelerator.prepare(
            encoder, model, optimizer, DataLoader(
                data,  # all of it
            ), scheduler
        )
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("outer", ["", "    ", "\t"])
@pytest.mark.parametrize(("before", "after"), OVER_LINES.values(), ids=OVER_LINES)
def test_layout_is_kept(before: str, after: str, outer: str, newline: str) -> None:
    before, after = (indent(dedent(text).strip(), outer).replace("\n", newline) for text in (before, after))
    head = f"if x:{newline}" if outer else ""
    assert join(head + before, FIRST, OPTIMIZER, LAST) == head + after
    assert (
        join(f"{head}{before}{newline}y = 1{newline}", FIRST, OPTIMIZER, LAST)
        == f"{head}{after}{newline}y = 1{newline}"
    )


def test_arguments_under_the_first_stay_there() -> None:
    before = """\
if x:
    model, loader = accelerator.prepare(model,
                                        # the data
                                        loader)
"""
    after = """\
if x:
    model, optimizer, loader = accelerator.prepare(model,
                                                   optimizer,
                                                   # the data
                                                   loader)
"""
    assert join(before) == after


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("(\n    m)", 0, "(\n    o, m)"),
        ("(m\n)", 0, "(o, m\n)"),
        ("(\n    m)", 1, "(\n    m,\n    o)"),
        ("(m\n)", 1, "(m, o\n)"),
    ],
)
def test_one_argument_with_a_line_break_on_one_side(before: str, index: int, after: str) -> None:
    targets = "o, m" if index == 0 else "m, o"
    assert join(f"m = acc.prepare{before}", Addition(index, "o", "o")) == f"{targets} = acc.prepare{after}"


def test_several_at_one_index_keep_their_order() -> None:
    added = [Addition(1, name, name) for name in "abc"]
    assert join("m, d = acc.prepare(m, d)", *added) == "m, a, b, c, d = acc.prepare(m, a, b, c, d)"


def test_a_target_that_is_there_already() -> None:
    text = "m, o = acc.prepare(m)"
    assert join(text, Addition(1, "o", None)) == "m, o = acc.prepare(m, o)"


@pytest.mark.parametrize(
    "text",
    [
        "acc.prepare(m)",
        "return acc.prepare(m)",
        "a = b = acc.prepare(m)",
        "x: T = acc.prepare(m)",
        "f(acc.prepare(m))",
        "for x in acc.prepare(m):\n        pass\n    else:\n        pass",
        "if (\n        acc.prepare(m)\n    ): pass",
    ],
)
def test_an_argument_alone_goes_in_anywhere(text: str) -> None:
    body = f"def f():\n    {text}\n"
    assert join(body, Addition(1, "o", None)) == body.replace("(m)", "(m, o)")


LONG = "some_rather_long_name_of_a_{}"
NARROW = f"x = function_that_is_called(\n    {LONG.format('first_thing')}, {LONG.format('second_thing')}\n)\n"


def test_a_line_may_be_as_long_as_the_file_allows() -> None:
    name = LONG.format("model")
    before = f"{name} = accelerator.prepare({name})\n"
    after = f"{name}, optimizer = accelerator.prepare({name}, optimizer)\n"
    assert 88 < len(after) < 120
    assert join(before) == after
    assert join(NARROW + before) == NARROW + f"{name}, optimizer = accelerator.prepare(\n    {name}, optimizer\n)\n"
    wide = f"y = [{', '.join(map(str, range(30)))}]\n"
    assert len(after) <= len(wide) < 120
    assert join(NARROW + wide + before) == NARROW + wide + after


def test_what_no_longer_fits_is_broken_step_by_step() -> None:
    a, b, c = (LONG.format(x) for x in ("model", "optimizer", "loader"))
    text = f"if x:\n  {a} = accelerator.prepare({a})"
    text = join(text, Addition(1, b, b))
    assert text == f"if x:\n  {a}, {b} = accelerator.prepare(\n    {a}, {b}\n  )"
    text = join(text, Addition(2, c, c))
    assert text == (f"if x:\n  (\n    {a},\n    {b},\n    {c},\n  ) = accelerator.prepare(\n    {a}, {b}, {c}\n  )")
    text = join(text, Addition(3, f"x.{c}", f"x.{c}"))
    assert text == (
        f"if x:\n  (\n    {a},\n    {b},\n    {c},\n    x.{c},\n  ) = accelerator.prepare(\n"
        f"    {a},\n    {b},\n    {c},\n    x.{c},\n  )"
    )


def test_what_fits_nowhere_gets_the_narrowest_layout() -> None:
    name = "n" * 130
    text = join("model = accelerator.prepare(model)\n", Addition(1, name, name))
    assert text == f"(\n    model,\n    {name},\n) = accelerator.prepare(\n    model,\n    {name},\n)\n"


REFUSED = {
    "another method": ("m = acc.prepare_model(m)", OPTIMIZER),
    "chained": ("a = m = acc.prepare(m)", OPTIMIZER),
    "annotated": ("m: T = acc.prepare(m)", OPTIMIZER),
    "walrus": ("f(m := acc.prepare(m))", OPTIMIZER),
    "expression": ("acc.prepare(m)", OPTIMIZER),
    "within another call": ("m = f(acc.prepare(m))", OPTIMIZER),
    "subscripted": ("m = acc.prepare(m)[0]", OPTIMIZER),
    "augmented": ("m += acc.prepare(m)", OPTIMIZER),
    "in a header": ("for m in acc.prepare(m):\n    pass", OPTIMIZER),
    "one name for two": ("both = acc.prepare(m, d)", OPTIMIZER),
    "too few arguments": ("m = acc.prepare(m)", LAST),
    "too few targets": ("m, = acc.prepare(m, d)", LAST),
    "star in front": ("m, d = acc.prepare(*ms, d)", OPTIMIZER),
    "starred target in front": ("*ms, d = acc.prepare(m, d)", OPTIMIZER),
    "placement by name": ("m = acc.prepare(m, device_placement=places)", OPTIMIZER),
    "placement as a tuple": ("m = acc.prepare(m, device_placement=(True,))", OPTIMIZER),
    "placement of another length": ("m = acc.prepare(m, device_placement=[True, True])", OPTIMIZER),
    "placement with a star": ("m = acc.prepare(m, device_placement=[*places])", OPTIMIZER),
    "keywords unknown": ("m = acc.prepare(m, **options)", OPTIMIZER),
    "positional behind a keyword": ("m = acc.prepare(device_placement=None, *ms)", OPTIMIZER),
    "bare generator": ("m = acc.prepare(m for m in ms)", OPTIMIZER),
}


@pytest.mark.parametrize(("text", "addition"), REFUSED.values(), ids=REFUSED)
def test_other_shapes_are_refused(text: str, addition: Addition) -> None:
    with pytest.raises(CannotRewriteError):
        join(f"if x:\n{indent(text, '    ')}\n", addition)
