"""Statements that are dropped."""

from __future__ import annotations

import pytest
from asking import rewrite, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropStatement

BODIES = [
    ("a\ndrop()\nb\n", "a\nb\n"),
    ("a\n\n# why\ndrop(\n    1,  # c\n)  # d\n\nb\n", "a\n\nb\n"),
    ("a\n\n\ndrop()\n\nb", "a\n\n\nb"),
    ("# of both\ndrop()  # d\nb\n", "# of both\nb\n"),
    (
        "a\n# of both\n# and more\ndrop(\n)\n@decorated\ndef b(): pass\n",
        "a\n# of both\n# and more\n@decorated\ndef b(): pass\n",
    ),
    ("a\n# why\ndrop()\n# of b\nb\n", "a\n# of b\nb\n"),
    ("a\n# why\ndrop()\n", "a\n"),
    ("a\ndrop()", "a"),
    ("a\n\ndrop()\n", "a\n"),
    ("drop()\n\na\n", "a\n"),
    ("a; drop(); b\n", "a; b\n"),
    ("a; drop()\n", "a\n"),
    ("drop(); a  # c\n", "a  # c\n"),
    ("drop(\n); a\n", "a\n"),
    ("a(\n); drop()\n", "a(\n)\n"),
]
ALONE = [
    ("if x:\n\tdrop()  # c\ny\n", "if x:\n\tpass\ny\n"),
    ("if x:\n    # why\n    drop(\n        1,\n    )", "if x:\n    pass"),
    ("if x: drop()  # c\n", "if x: pass  # c\n"),
    ("for x in y:\n  a\nelse:\n  drop()\n", "for x in y:\n  a\nelse:\n  pass\n"),
    ("try:\n    a\nfinally:\n    drop()\n", "try:\n    a\nfinally:\n    pass\n"),
    ("drop()\n", "pass\n"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("before", "after"), [*BODIES, *ALONE])
def test_statement_goes(before: str, after: str, newline: str) -> None:
    before, after = before.replace("\n", newline), after.replace("\n", newline)
    assert rewrite(before, DropStatement(statement(before, "drop"))) == after


def test_compound_statement_goes() -> None:
    text = "a\nif drop:\n    b\n    # c\nelse:\n    d\ne\n"
    assert rewrite(text, DropStatement(statement(text, "if drop"))) == "a\ne\n"


def test_statement_that_is_not_there_is_refused() -> None:
    with pytest.raises(CannotRewriteError):
        rewrite("a + b", DropStatement(statement("a", "a")))
