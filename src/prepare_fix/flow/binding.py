"""Whether a place surely exists where a statement stands: a repair may only name what is bound on every path."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prepare_fix.flow.questions import is_main_guard

_ENDING = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The place that is asked for, as it is written, and whether it counts as bound where it holds None."""

    text: str
    even_none: bool = True
    nones: frozenset[str] = frozenset()
    """The parameters of the function that are None where the caller gives nothing."""

    def takes(self, value: ast.expr | None) -> bool:
        """Return whether the place counts as bound where ``value`` is assigned to it."""
        if self.even_none or value is None:
            return value is not None
        if isinstance(value, ast.IfExp):
            return self.takes(value.body) and self.takes(value.orelse)
        return not (_is_none(value) or (isinstance(value, ast.Name) and value.id in self.nones))


def is_surely_bound(function: ast.AST, text: str, statement: ast.stmt, *, even_none: bool = True) -> bool:
    """Return whether the place written ``text`` is bound on every path of ``function`` that reaches ``statement``;
    without ``even_none`` only to something else than None."""
    place = _Wanted(text, even_none, _none_parameters(function))
    given = _is_given(function, place)
    return given or _bound_at(getattr(function, "body", ()), place, statement, bound=False) is True


def is_bound_by(function: ast.AST, text: str) -> bool:
    """Return whether every path through ``function`` to its end binds the place written ``text``."""
    return is_bound_in(getattr(function, "body", ()), text)


def is_bound_in(body: Sequence[ast.stmt], text: str) -> bool:
    """Return whether every path through the statements of ``body`` to their end binds the place written ``text``."""
    return _bound_after(body, _Wanted(text), bound=False)


def leaves_bound(function: ast.AST, text: str) -> bool:
    """Return whether ``function``, wherever it is left, leaves something else than None in the place ``text``."""
    body = getattr(function, "body", ())
    place = _Wanted(text, even_none=False, nones=_none_parameters(function))
    at_end = _is_given(function, place) or _bound_after(body, place, bound=False)
    return at_end and all(is_surely_bound(function, text, each, even_none=False) for each in _returns(body))


def _returns(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for each in body:
        if isinstance(each, ast.Return):
            yield each
        for block in _blocks(each):
            yield from _returns(block)


def _is_given(function: ast.AST, place: _Wanted) -> bool:
    """Return whether callers give what is wanted."""
    return place.text in _parameters(function) and (place.even_none or place.text not in place.nones)


def is_bound_somewhere(function: ast.AST, text: str) -> bool:
    """Return whether any path through ``function`` binds the place written ``text``, or it is a parameter."""
    if text in _parameters(function):
        return True
    return _is_bound_within(getattr(function, "body", ()), _Wanted(text))


def _is_bound_within(body: Sequence[ast.stmt], place: _Wanted) -> bool:
    return any(
        _binds(each, place)
        or _binds_as_header(each, place)
        or any(_is_bound_within(block, place) for block in _blocks(each))
        for each in body
    )


def _parameters(function: ast.AST) -> set[str]:
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return set()
    spec = function.args
    found = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
    return {each.arg for each in found if each is not None}


def _none_parameters(function: ast.AST) -> frozenset[str]:
    """Return the parameters whose default is None and that nothing else is assigned to."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return frozenset()
    spec = function.args
    ordered = [*spec.posonlyargs, *spec.args]
    first = len(ordered) - len(spec.defaults)
    defaults = [*zip(ordered[first:], spec.defaults, strict=True), *zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]
    names = [each.arg for each, value in defaults if value is not None and _is_none(value)]
    return frozenset(name for name in names if not _is_bound_within(function.body, _Wanted(name)))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _bound_at(body: Sequence[ast.stmt], place: _Wanted, wanted: ast.stmt, *, bound: bool) -> bool | None:
    """Return whether the place is bound in front of ``wanted``; None where that is not in ``body``."""
    for statement in body:
        if statement is wanted:
            return bound
        if _covers(statement, wanted):
            inside = bound or _binds_as_header(statement, place)
            for block in _blocks(statement):
                found = _bound_at(block, place, wanted, bound=inside)
                if found is not None:
                    return found
        bound = _binds(statement, place) or (bound and not _loses(statement, place))
    return None


def _covers(statement: ast.stmt, other: ast.stmt) -> bool:
    """Return whether ``other`` stands on the lines of ``statement``: in all others nobody has to look for it."""
    return statement.lineno <= other.lineno <= (statement.end_lineno or other.lineno)


def _bound_after(body: Sequence[ast.stmt], place: _Wanted, *, bound: bool) -> bool:
    for statement in body:
        if isinstance(statement, _ENDING):
            return True  # nothing behind it is reached
        bound = _binds(statement, place) or (bound and not _loses(statement, place))
    return bound


def _loses(statement: ast.stmt, place: _Wanted) -> bool:
    """Return whether any path through a statement makes the place None, where that does not count."""
    if isinstance(statement, ast.Assign) and not place.takes(statement.value):
        return any(_names(target, place.text) for target in statement.targets)
    return any(_loses(each, place) for block in _blocks(statement) for each in block)


def _binds(statement: ast.stmt, place: _Wanted) -> bool:
    """Return whether a statement binds the place on every path through it."""
    text = place.text
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return place.takes(statement.value) and any(_names(target, text) for target in targets)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return any((alias.asname or alias.name.split(".")[0]) == text for alias in statement.names)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return statement.name == text
    if isinstance(statement, ast.If):
        is_sure = is_main_guard(statement.test) or ast.unparse(statement.test) in {f"{text} is None", f"not {text}"}
        branches = [statement.body] if is_sure else [statement.body, statement.orelse]
        return all(_bound_after(branch, place, bound=False) for branch in branches)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return _binds_as_header(statement, place) or _bound_after(statement.body, place, bound=False)
    if isinstance(statement, ast.Try):
        bodies = [[*statement.body, *statement.orelse], *(handler.body for handler in statement.handlers)]
        return all(_bound_after(each, place, bound=False) for each in bodies) or _bound_after(
            statement.finalbody, place, bound=False
        )
    return False


def _binds_as_header(statement: ast.stmt, place: _Wanted) -> bool:
    """Return whether the place is bound within the blocks of a statement because of its header."""
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return _names(statement.target, place.text)
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        return any(
            item.optional_vars is not None and _names(item.optional_vars, place.text) for item in statement.items
        )
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
