"""Calls that go through the accelerator."""

from __future__ import annotations

from textwrap import dedent

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import CallAccelerator

BACKWARD = {
    "loss.backward()": "acc.backward(loss)",
    "loss.backward(retain_graph=True)": "acc.backward(loss, retain_graph=True)",
    "loss.backward( retain_graph=True )": "acc.backward( loss, retain_graph=True )",
    "out.loss.mean().backward()": "acc.backward(out.loss.mean())",
    "(a + b).backward()": "acc.backward(a + b)",
    "((a + b)).backward()": "acc.backward(a + b)",
    "(a if x else b).backward(inputs=p,)": "acc.backward(a if x else b, inputs=p,)",
    "(a + b).sum().backward()": "acc.backward((a + b).sum())",
    "(x := f()).backward()": "acc.backward((x := f()))",
    "loss . backward ()": "acc.backward(loss)",
    "损失.backward()": "acc.backward(损失)",
    "loss.backward(**options)": "acc.backward(loss, **options)",
    "loss.backward(*options)": "acc.backward(loss, *options)",
    """\
    loss.backward(
        retain_graph=True,  # twice
        inputs=p,
    )""": """\
    acc.backward(
        loss,
        retain_graph=True,  # twice
        inputs=p,
    )""",
    """\
    (
        a  # one
        + b  # two
    ).backward()""": """\
    acc.backward(
        a  # one
        + b  # two
    )""",
    """\
    (
        a
        + b  # two
    ).backward(retain_graph=True)""": """\
    acc.backward(
        a
        + b,  # two
        retain_graph=True
    )""",
    """\
    (
        a
        + b
    ).backward(
        retain_graph=True,  # twice
    )""": """\
    acc.backward(
        a
        + b,
        retain_graph=True,  # twice
    )""",
    """\
    loss.backward(
    )""": """\
    acc.backward(
    loss)""",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), BACKWARD.items())
def test_receiver_becomes_the_first_argument(before: str, after: str, newline: str) -> None:
    before, after = (dedent(text).replace("\n", newline) for text in (before, after))
    for text in ("{}", "if x: {}  # c\n", "x = 1; {}; y = 2\n", "z = [\n  {}  # d\n]"):
        whole = text.replace("\n", newline).format(before)
        repair = CallAccelerator(expression(whole, before), "acc", "backward", receiver_is_argument=True)
        assert rewrite(whole, repair) == text.replace("\n", newline).format(after)


CLIP = {
    "torch.nn.utils.clip_grad_norm_(p, 1.0)": "self.acc.clip_grad_norm_(p, 1.0)",
    "clip_grad_norm_(p, 1.0)": "self.acc.clip_grad_norm_(p, 1.0)",
    "utils.clip_grad_norm_ ( # all\n    p,\n    max_norm=1.0  # c\n)": (
        "self.acc.clip_grad_norm_ ( # all\n    p,\n    max_norm=1.0  # c\n)"
    ),
    "(clip or clip2)(p)": "self.acc.clip_grad_norm_(p)",
}


@pytest.mark.parametrize(("before", "after"), CLIP.items())
def test_function_becomes_a_method(before: str, after: str) -> None:
    text = f"norm = {before}  # n"
    repair = CallAccelerator(expression(text, before), "self.acc", "clip_grad_norm_", receiver_is_argument=False)
    assert rewrite(text, repair) == f"norm = {after}  # n"


LOST_COMMENT = "a comment stands in the name of what is called"


@pytest.mark.parametrize(
    ("text", "is_method", "reason"),
    [
        ("f(x)", True, "the call is not one of a method"),
        ("x", True, "there is no Call at offset 0"),
        ("(loss  # c\n.backward)()", True, LOST_COMMENT),
        ("(loss  # c\n.mean().backward\n)(x)", False, LOST_COMMENT),
        ("(a.  # c\nb)(x)", False, LOST_COMMENT),
        ("(a + b  # c\n).backward(x)", False, LOST_COMMENT),
    ],
)
def test_other_shapes_and_what_would_lose_a_comment_are_refused(text: str, is_method: bool, reason: str) -> None:
    with pytest.raises(CannotRewriteError, match=f"^{reason}$"):
        rewrite(text, CallAccelerator(expression(text, text), "acc", "m", receiver_is_argument=is_method))


def test_what_is_called_on_is_not_part_of_the_edits() -> None:
    from prepare_fix.codemods import render
    from prepare_fix.sources.text import SourceText

    text = "(loss / steps).backward(retain_graph=True)"
    repair = CallAccelerator(expression(text, text), "acc", "backward", receiver_is_argument=True)
    edits = render(SourceText(text), (repair,))
    assert [(edit.old, edit.new) for edit in edits] == [("", "acc.backward"), (").backward(", ", ")]
