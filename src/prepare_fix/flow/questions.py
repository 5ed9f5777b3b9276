"""What a condition asks: so that two conditions can be told to ask the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

# Comparisons that come in two senses: (how the positive one is written, whether this is it).
_COMPARISONS: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: (" == ", True),
    ast.NotEq: (" == ", False),
    ast.Is: (" is ", True),
    ast.IsNot: (" is ", False),
    ast.In: (" in ", True),
    ast.NotIn: (" in ", False),
    ast.Gt: (" > ", True),
    ast.LtE: (" > ", False),
    ast.Lt: (" < ", True),
    ast.GtE: (" < ", False),
}


_NOT = "not "

_PARTS = (ast.Name, ast.Attribute, ast.Subscript)
Part = ast.Name | ast.Attribute | ast.Subscript
"""What may change between two conditions that read the same."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a condition asks: the text without a negation, and the names, attributes and items in it.

    ``holds`` says whether the condition holds where the answer is yes: ``not flag`` asks ``flag``, and does not.
    """

    text: str
    parts: tuple[Part, ...]
    holds: bool


def question_of(test: ast.expr) -> Question | None:
    """Return what a condition on names, attributes, items and constants asks; None where it calls something."""
    parts: list[Part] = []
    text = _spelled(test, parts)
    if text is None or not parts:
        return None
    holds = True
    while text.startswith(_NOT):
        text, holds = text.removeprefix(_NOT), not holds
    return Question(text, tuple(parts), holds)


def is_main_guard(test: ast.expr) -> bool:
    """Return whether a condition asks ``__name__ == "__main__"``, as a script does of itself."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Eq)
    )


def _spelled(node: ast.expr, parts: list[Part]) -> str | None:
    """Return ``node`` as text, the same for what means the same; add what it reads to ``parts``."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Name):
        parts.append(node)
        return node.id
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        parts.append(node)
        base = _spelled(node.value, parts)
        step = f".{node.attr}" if isinstance(node, ast.Attribute) else _spelled_key(node.slice)
        return None if base is None or step is None else base + step
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _spelled(node.operand, parts)
        return None if inner is None else _NOT + inner
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign, is_positive = _COMPARISONS[type(node.ops[0])]
        text = _joined(sign, [node.left, node.comparators[0]], parts)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.comparators[0], _PARTS):
            parts.append(ast.Subscript(node.comparators[0], node.left, ast.Load()))  # it may be put in or taken out
        return text if text is None or is_positive else _NOT + text
    if isinstance(node, ast.BoolOp):
        return _joined(" and " if isinstance(node.op, ast.And) else " or ", node.values, parts)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        text = _joined(", ", node.elts, parts)
        return None if text is None else type(node).__name__ + text
    return None


def _spelled_key(node: ast.expr) -> str | None:
    return f"[{node.value!r}]" if isinstance(node, ast.Constant) else None


def _joined(between: str, nodes: Sequence[ast.expr], parts: list[Part]) -> str | None:
    """Return the texts of ``nodes`` in brackets, with ``between`` them."""
    texts = [text for each in nodes if (text := _spelled(each, parts)) is not None]
    return f"({between.join(texts)})" if len(texts) == len(nodes) else None
