"""Give a call other keyword arguments."""

from __future__ import annotations

import libcst as cst

from prepare_fix.codemods.elements import Elements
from prepare_fix.codemods.prepare_call import read_arguments
from prepare_fix.codemods.slices import edited, shrink
from prepare_fix.codemods.tree import Tree, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import SetKeywords
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: SetKeywords) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: a keyword to take out is not there, or the result would not be valid Python.
    """
    tree = parse_expression(source, repair.call)
    call = tree.find(repair.call, cst.Call)
    old = new = read_arguments(tree, call)
    present = [arg.keyword.value if arg.keyword else None for arg in call.args]
    taken_out = [_index(present, name) for name, value in repair.keywords if value is None]
    for name, value in repair.keywords:
        if value is not None and name in present:
            new = new.replace(present.index(name), _with_value(tree, call.args[present.index(name)], name, value))
        elif value is not None and taken_out and "#" not in new.items[taken_out[0]].gap:
            # What comes in takes the place of what goes, unless a comment there speaks of that.
            index = taken_out.pop(0)
            new = new.replace(index, _with_value(tree, call.args[index], name, value))
        elif value is not None:
            new = new.insert(len(new.items), [f"{name}={value}"], source.newline)
    for index in sorted(taken_out, reverse=True):  # from the end, so that the indexes stay right
        new = new.remove(index)
    return _build(source, repair.call, old, new)


def _index(present: list[str | None], name: str) -> int:
    if name not in present:
        raise CannotRewriteError(f"the call has no argument `{name}`")
    return present.index(name)


def _with_value(tree: Tree, arg: cst.Arg, name: str, value: str) -> str:
    """Return ``arg`` with another name and value, and the space around its equals sign kept."""
    assert arg.keyword is not None
    bare = arg.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace(""))
    equals = tree.code(bare).removesuffix(tree.code(arg.value)).removeprefix(arg.keyword.value)
    return f"{name}{equals}{value}"


def _build(source: SourceText, call: Span, old: Elements, new: Elements) -> tuple[Edit, ...]:
    end = call.end - 1
    edit = shrink(Edit(Span(end - len(old.text), end), old.text, new.text))
    code = edited(source, call, [edit])
    parse_expression(SourceText(code), Span(0, len(code)))
    return (edit,)
