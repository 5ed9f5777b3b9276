"""New statements behind others."""

from __future__ import annotations

import pytest
from asking import rewrite, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import InsertStatement


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("at()\nb\n", "at()\nNEW\nb\n"),
        ("x\nat()", "x\nat()\nNEW"),
        ("if x:\n\tat(\n\t\t1)  # c\n\n\tb", "if x:\n\tat(\n\t\t1)  # c\n\tNEW\n\n\tb"),
        ("if at:\n    a\n    # c\n# d\nb\n", "if at:\n    a\n    # c\nNEW\n# d\nb\n"),
    ],
)
def test_line_goes_in(before: str, after: str, newline: str) -> None:
    before = before.replace("\n", newline)
    place = statement(before, "if at" if before.startswith("if at") else "at")
    for code in ("x = 'é'", "f(\n    1,\n)\ny = '''\nas it\n  is'''\n"):
        margin = "\t" if "\tNEW" in after else ""
        lines = code.strip("\n").replace("\n    ", f"\n{margin}    ").replace("\n)", f"\n{margin})")
        expected = after.replace("NEW", lines.replace("\ny", f"\n{margin}y")).replace("\n", newline)
        assert rewrite(before, InsertStatement(place, code)) == expected


@pytest.mark.parametrize("text", ["at(); b", "if x: at()", "b; at()"])
def test_shared_lines_are_refused(text: str) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, InsertStatement(statement(text, "at"), "x = 1"))
