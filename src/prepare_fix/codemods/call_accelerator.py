"""Make a call through the accelerator instead of on the object itself, or on a library."""

from __future__ import annotations

import libcst as cst

from prepare_fix.codemods.prepare_call import read_arguments, shrink
from prepare_fix.codemods.tree import Tree, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import CallAccelerator
from prepare_fix.sources.text import SourceText, Span

# Without parentheses these would not be one argument, or not that of this call alone.
_NEED_PARENTHESES = (cst.GeneratorExp, cst.NamedExpr, cst.Tuple, cst.Yield)


def render(source: SourceText, repair: CallAccelerator) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: no such call stands there, or a comment within would be lost.
    """
    tree = parse_expression(source, repair.call)
    call = tree.find(repair.call, cst.Call)
    old = source.slice(repair.call)
    new = f"{repair.accelerator}.{repair.method}"
    if repair.receiver_is_argument:
        if not isinstance(call.func, cst.Attribute):
            raise CannotRewriteError("the call is not one of a method")
        arguments = read_arguments(tree, call).insert(0, [without_parentheses(tree, call.func.value)], source.newline)
        new += f"({arguments.text})"
    else:
        new += old[len(tree.code(call.func)) :]
    if parse_expression(SourceText(new), Span(0, len(new))).comments != tree.comments:
        raise CannotRewriteError("a comment stands in the name of what is called")
    return (shrink(Edit(repair.call, old, new)),)


def without_parentheses(tree: Tree, node: cst.BaseExpression) -> str:
    """Return the source of ``node`` without the parentheses around it, where it needs none as an argument."""
    if isinstance(node, _NEED_PARENTHESES):
        return tree.code(node)
    return tree.code(node.with_changes(lpar=[], rpar=[]))
