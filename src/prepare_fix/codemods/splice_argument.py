"""Hand the elements of a list or tuple to ``prepare`` one by one."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from prepare_fix.codemods.elements import Elements, read_elements
from prepare_fix.codemods.prepare_call import PrepareCall, build_edits, read_prepare
from prepare_fix.codemods.tree import Tree, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import SpliceArgument
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: SpliceArgument) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the argument is no display, an empty one, or one that ``device_placement`` counts as one.
    """
    call = read_prepare(source, repair.site)
    if repair.index >= call.positional:
        raise CannotRewriteError("the call has fewer arguments than expected")
    if call.placement is not None:
        raise CannotRewriteError("`device_placement` has one entry for all of the display")
    code = call.objects[repair.index]
    display = _read_display(parse_expression(SourceText(code), Span(0, len(code))))
    return build_edits(call, _splice(call, repair.index, display))


def _read_display(tree: Tree) -> Elements:
    """Return the elements of the display that ``tree`` consists of."""
    node = tree.statement
    value = node.value if isinstance(node, cst.Expr) else None
    if isinstance(value, cst.List) and len(value.lpar) == 1:
        display = read_elements(tree, value.lbracket.whitespace_after, value.elements, value.rbracket.whitespace_before)
    elif isinstance(value, cst.Tuple) and len(value.lpar) == 2:
        # One pair of parentheses is the display's own, the other was put around it for parsing.
        display = read_elements(tree, value.lpar[1].whitespace_after, value.elements, value.rpar[0].whitespace_before)
    else:
        raise CannotRewriteError("the argument is no list or tuple written out in the call")
    if not display.items:
        raise CannotRewriteError("the list holds no objects")
    return display


def _splice(call: PrepareCall, index: int, display: Elements) -> PrepareCall:
    stands_alone = call.arguments.text.strip() == call.objects[index]
    if stands_alone and not display.is_one_line:
        # The brackets of the call take the place of those of the display, and its layout stays.
        return replace(call, arguments=display, positional=len(display.items))
    if display.has_comments():
        raise CannotRewriteError("comments stand in the list")
    return call.insert(index + 1, display.codes).remove(index)
