"""Make a call through the accelerator instead of on the object itself, or on a library."""

from __future__ import annotations

import libcst as cst

from prepare_fix.codemods.elements import Element, Elements
from prepare_fix.codemods.prepare_call import read_arguments
from prepare_fix.codemods.slices import edited, shrink
from prepare_fix.codemods.tree import Tree, needs_parentheses, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import CallAccelerator
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: CallAccelerator) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: no such call stands there, or a comment within would be lost.
    """
    tree = parse_expression(source, repair.call)
    call = tree.find(repair.call, cst.Call)
    function = f"{repair.accelerator}.{repair.method}"
    if repair.receiver_is_argument:
        edits = _pass_receiver(source, tree, call, function)
    else:
        span = Span(repair.call.start, repair.call.start + len(tree.code(call.func)))
        edits = (shrink(Edit(span, source.slice(span), function)),)
    new = edited(source, repair.call, edits)
    if parse_expression(SourceText(new), Span(0, len(new))).comments != tree.comments:
        raise CannotRewriteError("a comment stands in the name of what is called")
    return edits


def _pass_receiver(source: SourceText, tree: Tree, call: cst.Call, function: str) -> tuple[Edit, ...]:
    """Return the edits in front of and behind what the method is called on, which stays where it is."""
    if not isinstance(call.func, cst.Attribute):
        raise CannotRewriteError("the call is not one of a method")
    receiver, place = call.func.value, tree.span(call)
    if needs_parentheses(receiver):
        kept = Span(place.start, place.start + len(tree.code(receiver)))
    else:
        kept = tree.span(receiver)
    arguments = _add_receiver(tree, call, source.slice(kept), source.newline)
    before = Span(place.start, kept.start)
    behind = Span(kept.end, place.end)
    rest = arguments.text[len(arguments.opening) + len(source.slice(kept)) :]
    edits = (
        Edit(before, source.slice(before), f"{function}({arguments.opening}"),
        Edit(behind, source.slice(behind), f"{rest})"),
    )
    return tuple(map(shrink, edits))


def _add_receiver(tree: Tree, call: cst.Call, code: str, newline: str) -> Elements:
    """Return the arguments with ``code`` in front; what was laid out in parentheses of its own stays so."""
    arguments = read_arguments(tree, call)
    receiver = call.func.value if isinstance(call.func, cst.Attribute) else call.func
    if len(receiver.lpar) == 1 and not needs_parentheses(receiver) and arguments.is_plain:
        opening, closing = receiver.lpar[0].whitespace_after, receiver.rpar[0].whitespace_before
        inside = Elements(tree.code(opening), (Element(code, gap=tree.code(closing)),))
        if not inside.is_one_line:
            return inside.insert(1, arguments.codes, newline)
    return arguments.insert(0, [code], newline)
