"""Read an attribute of the bare model instead of its wrapper's."""

from __future__ import annotations

import libcst as cst

from prepare_fix.codemods.tree import Tree, check_boundaries, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import UnwrapRead
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: UnwrapRead) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the expression does not begin with the receiver.
    """
    check_boundaries(source, repair.expression)
    tree = parse_expression(source, repair.expression)
    start = repair.expression.start
    model = tree.find_place(Span(start, start + len(repair.receiver)))
    if source.slice(tree.span(model)) != repair.receiver:
        raise CannotRewriteError("the expression does not begin with the model")
    span = _with_module(tree, model)
    old = source.slice(span)
    if "#" in old[len(repair.receiver) :]:
        raise CannotRewriteError("a comment stands within the expression")
    return (Edit(span, old, f"{repair.accelerator}.unwrap_model({repair.receiver})"),)


def _with_module(tree: Tree, model: cst.BaseExpression) -> Span:
    """Return the span of ``model``, or of ``model.module``, by which a script unwraps it itself."""
    for node in tree.nodes(cst.Attribute):
        if node.value is model and node.attr.value == "module":
            return tree.span(node)
    return tree.span(model)
