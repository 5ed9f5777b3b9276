"""Whether a name surely exists where a repair would read it, statement by statement."""

from __future__ import annotations

import ast
import textwrap

import pytest

from prepare_fix.flow.binding import is_bound_by, is_surely_bound, leaves_bound

BOUND = {
    "assignment": "x = 1\nuse()",
    "one of several targets": "a, (*x, b) = make()\nuse()",
    "annotated": "x: int = 1\nuse()",
    "import": "import x.y\nuse()",
    "import under another name": "from a import b as x\nuse()",
    "function": "def x(): pass\nuse()",
    "class": "class x: pass\nuse()",
    "both branches": "if a:\n  x = 1\nelse:\n  x = 2\nuse()",
    "a branch that leaves": "if a:\n  x = 1\nelse:\n  return\nuse()",
    "in the branch itself": "if a:\n  x = 1\n  use()",
    "in front of the branch": "x = 1\nif a:\n  use()",
    "context manager": "with a as x:\n  use()",
    "behind a context manager": "with a as (b, x):\n  pass\nuse()",
    "in the block of a context manager": "with a:\n  x = 1\nuse()",
    "loop variable": "for x in a:\n  use()",
    "body and handler": "try:\n  x = 1\nexcept A:\n  x = 2\nuse()",
    "else and handler": "try:\n  a()\nexcept A:\n  x = 2\nelse:\n  x = 1\nuse()",
    "a handler that leaves": "try:\n  x = 1\nexcept A:\n  raise\nuse()",
    "finally": "try:\n  a()\nfinally:\n  x = 1\nuse()",
    "in front of a handler": "x = 1\ntry:\n  a()\nexcept A:\n  use()",
    "in front of a case": "x = 1\nmatch a:\n  case 1:\n    use()",
}
UNSURE = {
    "nothing": "use()",
    "later": "use()\nx = 1",
    "annotation alone": "x: int\nuse()",
    "another name": "y = 1\nuse()",
    "an attribute of the name": "x.a = 1\nuse()",
    "one branch": "if a:\n  x = 1\nuse()",
    "the other branch": "if a:\n  x = 1\nelse:\n  use()",
    "behind a loop": "for x in a:\n  pass\nuse()",
    "within a loop": "while a:\n  x = 1\nuse()",
    "body alone": "try:\n  x = 1\nexcept A:\n  pass\nuse()",
    "handler alone": "try:\n  a()\nexcept A:\n  x = 1\nuse()",
    "in the handler": "try:\n  x = 1\nexcept A:\n  use()",
    "one of two handlers": "try:\n  x = 1\nexcept A:\n  x = 2\nexcept B:\n  pass\nuse()",
    "a case": "match a:\n  case 1:\n    x = 1\nuse()",
    "within another function": "def f():\n  x = 1\nuse()",
}


def function_of(body: str) -> ast.FunctionDef:
    (function,) = ast.parse(f"def run(a, /, p, *args, k, **words):\n{textwrap.indent(body, '    ')}\n").body
    assert isinstance(function, ast.FunctionDef)
    return function


def use_in(function: ast.FunctionDef) -> ast.stmt:
    return next(each for each in ast.walk(function) if isinstance(each, ast.Expr) and ast.unparse(each) == "use()")


@pytest.mark.parametrize("body", BOUND.values(), ids=BOUND)
def test_bound_on_every_path(body: str) -> None:
    function = function_of(body)
    assert is_surely_bound(function, "x", use_in(function))


@pytest.mark.parametrize("body", UNSURE.values(), ids=UNSURE)
def test_not_bound_on_every_path(body: str) -> None:
    function = function_of(body)
    assert not is_surely_bound(function, "x", use_in(function))


@pytest.mark.parametrize("name", ["a", "p", "args", "k", "words"])
def test_parameters_are_bound(name: str) -> None:
    function = function_of("use()")
    assert is_surely_bound(function, name, use_in(function))


def test_attributes_are_places_too() -> None:
    function = function_of("a.x, b = make()\nuse()")
    assert is_surely_bound(function, "a.x", use_in(function))
    assert not is_surely_bound(function, "a.y", use_in(function))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1", True),
        ("if a:\n  x = 1\nelse:\n  raise a", True),
        ("if a:\n  return\nx = 1", True),
        ("if a:\n  x = 1", False),
    ],
)
def test_bound_by_a_whole_function(body: str, expected: bool) -> None:
    assert is_bound_by(function_of(body), "x") is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1\nuse()", True),
        ("x = None\nuse()", False),
        ("x: A = None\nuse()", False),
        ("x = None\nx = 1\nuse()", True),
        ("x = None\nif a:\n  x = 1\nuse()", False),
        ("x = 1 if a else None\nuse()", False),
        ("x = 1 if a else 2\nuse()", True),
        ("x = o\nuse()", False),
        ("x = k\nuse()", True),
        ("o = o or 1\nx = o\nuse()", True),
        ("x = a\nif x is None:\n  x = 1\nuse()", True),
        ("x = None\nif x is None:\n  x = 1\nuse()", True),
        ("if not x:\n  x = 1\nuse()", True),
        ("if x is not None:\n  x = 1\nuse()", False),
        ("x = 1\nx = None\nuse()", False),
        ("x = 1\nif a:\n  x = None\nuse()", False),
        ("x = 1\nif a:\n  x = 2\nuse()", True),
    ],
)
def test_none_does_not_count(body: str, expected: bool) -> None:
    source = f"def run(a, o=None, *, k=1, n=None):\n{textwrap.indent(body, '    ')}\n"
    function = next(each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef))
    assert is_surely_bound(function, "x", use_in(function), even_none=False) is expected
    assert leaves_bound(function, "x") is expected


@pytest.mark.parametrize(("name", "expected"), [("a", True), ("o", False), ("k", True), ("n", False), ("m", True)])
def test_parameters_that_are_none_do_not_count(name: str, expected: bool) -> None:
    (function,) = ast.parse("def run(a, o=None, *, m, k=1, n=None):\n    use()\n").body
    assert isinstance(function, ast.FunctionDef)
    assert is_surely_bound(function, name, use_in(function), even_none=False) is expected
    assert leaves_bound(function, name) is expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1", True),
        ("if a:\n  return\nx = 1", False),
        ("x = 1\nif a:\n  return", True),
        ("if a:\n  raise a\nx = 1", True),
        ("for b in a:\n  if b:\n    return\nx = 1", False),
        ("def f():\n  return\nx = 1", True),
    ],
)
def test_left_bound_on_every_way_out(body: str, expected: bool) -> None:
    assert leaves_bound(function_of(body), "x") is expected


def test_the_main_guard_is_passed() -> None:
    guarded = ast.parse('if __name__ == "__main__":\n    x = 1\n')
    assert is_bound_by(guarded, "x") and leaves_bound(guarded, "x")
    assert not is_bound_by(ast.parse('if name == "__main__":\n    x = 1\n'), "x")
