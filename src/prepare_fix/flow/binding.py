"""Whether a place surely exists where a statement stands: a repair may only name what is bound on every path."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_ENDING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def is_surely_bound(function: ast.AST, text: str, statement: ast.stmt) -> bool:
    """Return whether the place written ``text`` is bound on every path of ``function`` that reaches ``statement``."""
    if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and text in _parameters(function):
        return True
    return _bound_at(getattr(function, "body", ()), text, statement, bound=False) is True


def is_bound_by(function: ast.AST, text: str) -> bool:
    """Return whether every path through ``function`` to its end binds the place written ``text``."""
    return _bound_after(getattr(function, "body", ()), text, bound=False)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    spec = function.args
    found = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
    return {each.arg for each in found if each is not None}


def _bound_at(body: Sequence[ast.stmt], text: str, wanted: ast.stmt, *, bound: bool) -> bool | None:
    """Return whether the place is bound in front of ``wanted``; None where that is not in ``body``."""
    for statement in body:
        if statement is wanted:
            return bound
        if _covers(statement, wanted):
            inside = bound or _binds_as_header(statement, text)
            for block in _blocks(statement):
                found = _bound_at(block, text, wanted, bound=inside)
                if found is not None:
                    return found
        bound = bound or _binds(statement, text)
    return None


def _covers(statement: ast.stmt, other: ast.stmt) -> bool:
    """Return whether ``other`` stands on the lines of ``statement``: in all others nobody has to look for it."""
    return statement.lineno <= other.lineno <= (statement.end_lineno or other.lineno)


def _bound_after(body: Sequence[ast.stmt], text: str, *, bound: bool) -> bool:
    for statement in body:
        if isinstance(statement, _ENDING):
            return True  # nothing behind it is reached
        bound = bound or _binds(statement, text)
    return bound


def _binds(statement: ast.stmt, text: str) -> bool:
    """Return whether a statement binds the place on every path through it."""
    if isinstance(statement, ast.Assign):
        return any(_names(target, text) for target in statement.targets)
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None and _names(statement.target, text)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name.split(".")[0]) == text for alias in statement.names)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return statement.name == text
    if isinstance(statement, ast.If):
        return all(_bound_after(branch, text, bound=False) for branch in (statement.body, statement.orelse))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return _binds_as_header(statement, text) or _bound_after(statement.body, text, bound=False)
    if isinstance(statement, ast.Try):
        bodies = [[*statement.body, *statement.orelse], *(handler.body for handler in statement.handlers)]
        return all(_bound_after(each, text, bound=False) for each in bodies) or _bound_after(
            statement.finalbody, text, bound=False
        )
    return False


def _binds_as_header(statement: ast.stmt, text: str) -> bool:
    """Return whether the place is bound within the blocks of a statement because of its header."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return _names(statement.target, text)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return any(item.optional_vars is not None and _names(item.optional_vars, text) for item in statement.items)
    return False


def _names(target: ast.expr, text: str) -> bool:
    if isinstance(target, (ast.Tuple, ast.List)):
        return any(_names(each, text) for each in target.elts)
    if isinstance(target, ast.Starred):
        return _names(target.value, text)
    return target.id == text if isinstance(target, ast.Name) else ast.unparse(target) == text


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [handler.body for handler in getattr(statement, "handlers", ())]
    return found + [case.body for case in getattr(statement, "cases", ())]
