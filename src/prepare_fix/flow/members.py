"""What the instances of a class of the file have: read from its body and from what its methods assign to ``self``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_PLAIN_CALLS = frozenset("int float str bool len max min sum abs round dict list tuple set SimpleNamespace".split())
_PLAIN_TYPES = frozenset({"int", "float", "str", "bool"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def members_of(node: ast.ClassDef) -> dict[str, bool]:
    """Return the names that the class gives its instances, and for each whether it is surely plain data or a buffer.

    Data carries no gradient: numbers, strings, and what is made of them.
    """
    found: dict[str, bool] = {}
    for statement in node.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.setdefault(statement.name, False)
            for name, is_data in _assigned_to_self(statement):
                found[name] = found.get(name, True) and is_data
        else:
            for target, value in _assignments(statement):
                if isinstance(target, ast.Name):
                    found[target.id] = value is not None and _is_plain(value, None)
    return found


def _assignments(statement: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            pairs = isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple)
            if isinstance(target, ast.Tuple):
                values = statement.value.elts if pairs and isinstance(statement.value, ast.Tuple) else []
                yield from zip(target.elts, [*values, *[None] * (len(target.elts) - len(values))], strict=False)
            else:
                yield target, statement.value
    elif isinstance(statement, ast.AnnAssign):
        yield statement.target, statement.value


def _assigned_to_self(function: _Function) -> Iterator[tuple[str, bool]]:
    names = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
    if not names:
        return
    for node in ast.walk(function):
        for target, value in _assignments(node):
            if _attribute_of(target, names[0]) is not None:
                assert isinstance(target, ast.Attribute)
                yield target.attr, value is not None and _is_plain(value, function)
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            method, name = _attribute_of(node.func, names[0]), node.args[0].value
            if method in {"register_buffer", "register_parameter", "add_module", "register_module"}:
                yield str(name), method == "register_buffer"


def _attribute_of(node: ast.expr, owner: str) -> str | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner:
        return node.attr
    return None


def _is_plain(node: ast.expr, function: _Function | None) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return function is not None and _is_plain_parameter(node.id, function)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in _PLAIN_CALLS
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Tuple, ast.List, ast.Dict)):
        return all(_is_plain(each, function) for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
    return False


def _is_plain_parameter(name: str, function: _Function) -> bool:
    """Return whether a parameter is a number or string, by its annotation or by its default."""
    spec = function.args
    parameters = [*spec.posonlyargs, *spec.args]
    defaults = dict(zip([each.arg for each in reversed(parameters)], reversed(spec.defaults), strict=False))
    defaults |= {each.arg: value for each, value in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if value}
    default = defaults.get(name)
    if isinstance(default, ast.Constant) and default.value is not None:
        return True
    found = next((each for each in (*parameters, *spec.kwonlyargs) if each.arg == name), None)
    return found is not None and found.annotation is not None and ast.unparse(found.annotation) in _PLAIN_TYPES
