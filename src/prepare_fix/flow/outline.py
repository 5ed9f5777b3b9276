"""Where statements stand: which block, in which order, in which function."""

from __future__ import annotations

import ast
from collections import deque
from dataclasses import dataclass

_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
_KINDS: tuple[type[ast.AST], ...] = (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
# Where statements, handlers and cases hold others, in the order of their fields: most kinds of statements nowhere.
_BLOCKS_OF = {kind: tuple(name for name in _BLOCKS if name in kind._fields) for kind in _KINDS}


def statements_of(tree: ast.Module) -> tuple[ast.stmt, ...]:
    """Return the statements of a module in the order of ``ast.walk``, found without a look at expressions."""
    found: list[ast.stmt] = []
    todo: deque[ast.AST] = deque(tree.body)
    while todo:
        node = todo.popleft()
        if isinstance(node, ast.stmt):
            found.append(node)
        for name in _BLOCKS_OF[type(node)]:
            todo.extend(getattr(node, name))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Spot:
    """A statement's block (a number), its index in it, and the innermost definition around it."""

    block: int
    index: int
    siblings: tuple[ast.stmt, ...]
    scope: str


class Outline:
    """The spots of all statements of a module."""

    def __init__(self, tree: ast.Module) -> None:
        self._spots: dict[int, Spot] = {}
        self._around: dict[int, ast.stmt] = {}
        self._blocks = 0
        self._visit(tree.body, "")

    def spot(self, statement: ast.stmt) -> Spot:
        """Return where ``statement`` stands."""
        return self._spots[id(statement)]

    def between(self, first: ast.stmt, second: ast.stmt) -> tuple[ast.stmt, ...] | None:
        """Return the statements between two of one block, None where they stand in different blocks."""
        one, two = self.spot(first), self.spot(second)
        if one.block != two.block:
            return None
        low, high = sorted((one.index, two.index))
        return one.siblings[low + 1 : high]

    def precedes(self, first: ast.stmt, second: ast.stmt) -> bool:
        """Return whether both stand in one block and ``first`` comes first."""
        one, two = self.spot(first), self.spot(second)
        return one.block == two.block and one.index < two.index

    def around(self, statement: ast.stmt) -> tuple[ast.stmt, ...]:
        """Return ``statement`` and those that it stands in, the innermost first, up to the definition around it."""
        found = [statement]
        while True:
            outer = self._around.get(id(found[-1]))
            if outer is None or isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                return tuple(found)
            found.append(outer)

    def in_one_block(self, first: ast.stmt, second: ast.stmt) -> tuple[ast.stmt, ast.stmt] | None:
        """Return the two different statements of one block that ``first`` and ``second`` are, or stand in."""
        blocks = {self.spot(each).block: each for each in self.around(second)}
        for one in self.around(first):
            other = blocks.get(self.spot(one).block)
            if other is not None:
                return (one, other) if one is not other else None
        return None

    def _visit(self, body: list[ast.stmt], scope: str, owner: ast.stmt | None = None) -> None:
        self._blocks += 1
        block, siblings = self._blocks, tuple(body)
        for index, statement in enumerate(body):
            self._spots[id(statement)] = Spot(block, index, siblings, scope)
            if owner is not None:
                self._around[id(statement)] = owner
            inner = scope
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{scope}.{statement.name}" if scope else statement.name
            for name in _BLOCKS_OF[type(statement)]:
                nested = getattr(statement, name)
                if name in {"handlers", "cases"}:
                    for each in nested:
                        self._visit(each.body, inner, statement)
                elif nested:
                    self._visit(nested, inner, statement)
