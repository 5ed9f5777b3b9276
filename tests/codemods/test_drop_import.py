"""Imports that are dropped."""

from __future__ import annotations

import pytest
from asking import rewrite, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropImport


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("import a\nx\n", "a", "x\n"),
        ("x\n# c\nfrom a import b  # d\n\ny\n", "b", "x\n\ny\n"),
        ("x\n# c\nfrom a import b  # d\ny\n", "b", "x\n# c\ny\n"),
        ("import a, b.c, d\n", "b", "import a, d\n"),
        ("import a, b as c\n", "c", "import a\n"),
        ("from a import b as c, d", "c", "from a import d"),
        ("from a import b as c, d", "d", "from a import b as c"),
        ("from a import (b, c,)", "c", "from a import (b,)"),
        ("from a import (\n    b,  # b\n    c,  # c\n    d\n)", "c", "from a import (\n    b,  # b\n    d\n)"),
        ("from a import b, \\\n    c, \\\n    d", "c", "from a import b, \\\n    d"),
        ("from a import b, \\\n    c", "c", "from a import b"),
        ("from a import b, \\\n    c", "b", "from a import c"),
        ("try:\n    import a\nexcept E:\n    x\n", "a", "try:\n    pass\nexcept E:\n    x\n"),
    ],
)
def test_name_goes(before: str, name: str, after: str) -> None:
    for newline in ("\n", "\r\n", "\r"):
        text = before.replace("\n", newline)
        place = statement(text, "import" if "import" in text.split()[0] or "try" in text else "from")
        assert rewrite(text, DropImport(place, name)) == after.replace("\n", newline)


@pytest.mark.parametrize(
    ("text", "name"),
    [("import a.b", "b"), ("from a import *", "a"), ("from a import b as c", "b"), ("a = 1", "a")],
)
def test_name_that_is_not_imported_is_refused(text: str, name: str) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, DropImport(statement(text, text), name))
