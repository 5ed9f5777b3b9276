"""Other targets for the result of ``prepare``."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from asking import rewrite, sites

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import BindTargets


def bind(text: str, *targets: str) -> str:
    return rewrite(text, BindTargets(sites(text)[0], targets))


ON_ONE_LINE = [
    ("d, m, o", "m, o, d", "m, o, d"),
    ("(d, m, o)", "m, o, d", "(m, o, d)"),
    ("[d , m,o]", "m, o, d", "[m , o,d]"),
    ("s.d, m, b['o']", "m, b['o'], s.d", "m, b['o'], s.d"),
    ("m", "m, o, d", "m, o, d"),
    ("m", "raw", "raw"),
    ("s.m", "s.m, s.o", "s.m, s.o"),
    ("m, o", "m, o, d", "m, o, d"),
    ("m, d", "m, o, d", "m, o, d"),
    ("(o, d)", "m, o, d", "(m, o, d)"),
    ("m,", "m, o", "m, o"),
    ("m, o, d", "m, d", "m, d"),
    ("m, o, d", "o", "o"),
    ("(m, o, d)", "m", "m"),
    ("[m, o]", "o", "o"),
    ("m, o, d,", "m, o", "m, o"),
    ("a, b, c", "m, o", "m, o"),
    ("a, b", "m, o, d", "m, o, d"),
    ("_, _", "m, o", "m, o"),
    ("m, *rest", "m, o", "m, o"),
    ("模型, é", "é, 模型", "é, 模型"),
]


@pytest.mark.parametrize(("old", "targets", "new"), ON_ONE_LINE)
def test_targets_on_one_line(old: str, targets: str, new: str) -> None:
    for text in ("{} = acc.prepare(m, o, d)  # c", "if x:\n\tfor y in z:\n\t\t{} = (acc.prepare(m, o, d))\n"):
        assert bind(text.format(old), *targets.split(", ")) == text.format(new)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("call", "targets"),
    [("acc.prepare(m)", "m"), ("acc.prepare(\n    s.m,  # c\n    o,\n)", "s.m, o"), ("a.b . prepare (m , o)", "m, o")],
)
def test_result_that_was_thrown_away(call: str, targets: str, newline: str) -> None:
    before = f"x = 1\n# c\n{call}  # d".replace("\n", newline)
    after = f"x = 1\n# c\n{targets} = {call}  # d".replace("\n", newline)
    assert bind(before, *targets.split(", ")) == after
    head = f"class A:{newline}"
    assert bind(head + indent(before, "  "), *targets.split(", ")) == head + indent(after, "  ")


OVER_LINES = {
    "rows with comments": (
        """
        (
            model, train_loader,  # everything that lives on the device
            optimizer, scheduler,  # one call
        ) = accelerator.prepare(model, optimizer, train_loader, scheduler)
        """,
        "model, optimizer, train_loader, scheduler",
        """
        (
            model, optimizer,  # everything that lives on the device
            train_loader, scheduler,  # one call
        ) = accelerator.prepare(model, optimizer, train_loader, scheduler)
        """,
    ),
    "one more": (
        """
        (
            model,  # the net
            # the data
            loader,
        ) = accelerator.prepare(model, optimizer, loader)
        """,
        "model, optimizer, loader",
        """
        (
            model,  # the net
            optimizer,
            # the data
            loader,
        ) = accelerator.prepare(model, optimizer, loader)
        """,
    ),
    "one less": (
        """
        (
            model,  # the net
            optimizer,  # its optimizer
            # the data
            loader,  # of all
        ) = accelerator.prepare(model, loader)
        """,
        "model, loader",
        """
        (
            model,  # the net
            # the data
            loader,  # of all
        ) = accelerator.prepare(model, loader)
        """,
    ),
    "one is left, with a comment": (
        """
        (
            model,  # the net
            optimizer,
        ) = accelerator.prepare(model)
        """,
        "model",
        """
        (
            model  # the net
        ) = accelerator.prepare(model)
        """,
    ),
    "one is left": (
        """
        (
            model,
            optimizer,
        ) = accelerator.prepare(
            model
        )
        """,
        "model",
        """
        model = accelerator.prepare(
            model
        )
        """,
    ),
    "backslash": (
        """
        optimizer, model, \\
            loader = accelerator.prepare(model, optimizer, loader)
        """,
        "model, optimizer, loader",
        """
        model, optimizer, \\
            loader = accelerator.prepare(model, optimizer, loader)
        """,
    ),
    "backslash, one less": (
        """
        model, \\
            optimizer, \\
            loader = \\
            accelerator.prepare(model, loader)
        """,
        "model, loader",
        """
        model, \\
            loader = \\
            accelerator.prepare(model, loader)
        """,
    ),
    "arguments under the first, of a result that was thrown away": (
        """
        accelerator.prepare(model,
                            loader)
        """,
        "model, loader",
        """
        model, loader = accelerator.prepare(model,
                                            loader)
        """,
    ),
    "arguments under the first": (
        """
        model = accelerator.prepare(model,
                                    # the data
                                    loader)
        """,
        "model, loader",
        """
        model, loader = accelerator.prepare(model,
                                            # the data
                                            loader)
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "targets", "after"), OVER_LINES.values(), ids=OVER_LINES)
def test_targets_over_lines(before: str, targets: str, after: str, newline: str) -> None:
    before, after = (dedent(text).strip().replace("\n", newline) for text in (before, after))
    assert bind(before, *targets.split(", ")) == after


def test_what_no_longer_fits_is_broken() -> None:
    names = [f"the_{word}_of_the_script" for word in ("model", "optimizer", "loader", "scheduler")]
    text = f"if x:\n\t{names[0]} = accelerator.prepare(the_first, the_second, a_third)\n"
    assert (
        bind(text, *names[:3])
        == f"if x:\n\t{', '.join(names[:3])} = accelerator.prepare(\n\t\tthe_first, the_second, a_third\n\t)\n"
    )
    rows = "".join(f"\t\t{name},\n" for name in names)
    assert bind(text, *names) == f"if x:\n\t(\n{rows}\t) = accelerator.prepare(the_first, the_second, a_third)\n"


def test_line_that_was_too_long_may_stay_so() -> None:
    names = [f"the_{word}_that_has_a_long_name" for word in ("model", "optimizer", "loader", "scheduler")]
    text = f"{', '.join(names)} = accelerator.prepare({', '.join(names)})\n"
    assert bind(text, *reversed(names)) == f"{', '.join(reversed(names))} = accelerator.prepare({', '.join(names)})\n"


ELSEWHERE = "the result of the call goes elsewhere than to targets of its own"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = b = acc.prepare(m)", ELSEWHERE),
        ("m: T = acc.prepare(m)", ELSEWHERE),
        ("f(acc.prepare(m))", ELSEWHERE),
        ("f(m := acc.prepare(m))", ELSEWHERE),
        ("m = acc.prepare(m)[0]", ELSEWHERE),
        ("m += acc.prepare(m)", ELSEWHERE),
        ("for m in acc.prepare(m):\n    pass", ELSEWHERE),
        ("acc.prepare_model(m)", "the call is not one of `prepare`"),
        ("[\n    m,  # c\n    o,\n] = acc.prepare(m)", "comments stand in the list that the result is unpacked to"),
    ],
)
def test_other_shapes_are_refused(text: str, reason: str) -> None:
    with pytest.raises(CannotRewriteError, match=f"^{reason}$"):
        bind(text, "m")


def test_await_is_refused() -> None:
    with pytest.raises(CannotRewriteError):
        bind("async def f():\n    await acc.prepare(m)\n", "m")


def test_no_targets_are_refused() -> None:
    with pytest.raises(CannotRewriteError, match=r"^there are no targets to assign to$"):
        bind("m = acc.prepare(m)")
