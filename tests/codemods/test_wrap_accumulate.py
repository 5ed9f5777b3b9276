"""Bodies of loops under ``accumulate``, and statements under a condition."""

from __future__ import annotations

from textwrap import dedent

import pytest
from asking import rewrite, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import GuardStatement, WrapAccumulate

BEFORE = dedent('''\
    for batch in loader:
        print(1)

        # the step
        loss = model("""
    flush left
        as it is""",  # c
    1)

    # far left
        if loss > 0:
            loss.backward()
        step(); zero()  # d

        print(f"""
        {loss}
        """, \\
            2)
    ''')
AFTER = dedent('''\
    for batch in loader:
        print(1)

        with acc.accumulate(model, self.other):
            # the step
            loss = model("""
    flush left
        as it is""",  # c
        1)

        # far left
            if loss > 0:
                loss.backward()
            step(); zero()  # d

        print(f"""
        {loss}
        """, \\
            2)
    ''')


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_run_goes_under_accumulate(newline: str) -> None:
    before, after = (text.replace("\n", newline) for text in (BEFORE, AFTER))
    run = tuple(statement(before, code) for code in ("loss =", "if loss", "step", "zero"))
    assert rewrite(before, WrapAccumulate(run, "acc", ("model", "self.other"))) == after


@pytest.mark.parametrize("unit", ["  ", "\t", "    "])
def test_one_statement_with_the_indentation_of_the_file(unit: str) -> None:
    before = f"for b in d:\n{unit}step(f'''\n{{b}}\n''',\n{unit * 2}1)"
    after = f"for b in d:\n{unit}with acc.accumulate(m):\n{unit * 2}step(f'''\n{{b}}\n''',\n{unit * 3}1)"
    assert rewrite(before, WrapAccumulate((statement(before, "step"),), "acc", ("m",))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("clip()", "if acc.sync_gradients:\n    clip()"),
        ("x\n# c\nclip()  # d\ny\n", "x\nif acc.sync_gradients:\n    # c\n    clip()  # d\ny\n"),
        ("if x:\n\tclip(\n\t\t1\n\t)\n", "if x:\n\tif acc.sync_gradients:\n\t\tclip(\n\t\t\t1\n\t\t)\n"),
    ],
)
def test_statement_gets_a_guard(before: str, after: str) -> None:
    assert rewrite(before, GuardStatement(statement(before, "clip"), "acc.sync_gradients")) == after


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("a\nb\nc\n", ("a", "c")),
        ("a\nif x:\n    b\n", ("a", "b")),
        ("a; b\nc\n", ("b", "c")),
        ("a\nb; c\n", ("a", "b")),
        ("if x: a\n", ("a",)),
        ("a\nb\n", ("b", "a")),
    ],
)
def test_what_is_no_run_is_refused(text: str, run: tuple[str, ...]) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, WrapAccumulate(tuple(statement(text, code) for code in run), "acc", ("m",)))


def test_what_is_guarded_goes_one_step_deeper() -> None:
    before = dedent("""\
        for batch in loader:
            backward(batch)
            # not too long
            clip(
                model.parameters(), 1.0
            )
            step()
        """)
    after = dedent("""\
        for batch in loader:
            with acc.accumulate(model):
                backward(batch)
                if acc.sync_gradients:
                    # not too long
                    clip(
                        model.parameters(), 1.0
                    )
                step()
        """)
    run = tuple(statement(before, code) for code in ("backward", "clip", "step"))
    assert rewrite(before, WrapAccumulate(run, "acc", ("model",), (run[1],))) == after
