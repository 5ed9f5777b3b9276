"""Places: the names a value can live under, as the source writes them."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attr:
    """A step to an attribute: ``.name``."""

    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """``[key]`` with a constant key."""

    key: str | int


@dataclass(frozen=True, slots=True)
class Place:
    """A name, attribute chain or constant subscript: ``model``, ``self.model``, ``loaders["train"]``."""

    root: str
    path: tuple[Attr | Item, ...] = ()

    def __str__(self) -> str:
        parts = (f".{step.name}" if isinstance(step, Attr) else f"[{step.key!r}]" for step in self.path)
        return self.root + "".join(parts)

    @property
    def last(self) -> str:
        """The last name in it: ``model`` for ``model`` and ``self.model``; the root where the last step is a key."""
        step = self.path[-1] if self.path else None
        if step is None:
            return self.root
        return step.name if isinstance(step, Attr) else str(step.key)


def place_of(node: ast.expr) -> Place | None:
    """Return the place that an expression names: a name, attribute chain or constant subscript; else None."""
    path: list[Attr | Item] = []
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            path.append(Attr(node.attr))
            node = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            key = node.slice.value
            if not isinstance(key, (str, int)):
                return None
            path.append(Item(key))
            node = node.value
        else:
            return None
    return Place(node.id, tuple(reversed(path)))
