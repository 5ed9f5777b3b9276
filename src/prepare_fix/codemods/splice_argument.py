"""Hand the elements of a list or tuple to ``prepare`` one by one."""

from __future__ import annotations

import re
from dataclasses import replace

import libcst as cst

from prepare_fix.codemods.elements import Elements, read_elements
from prepare_fix.codemods.prepare_call import PrepareCall, build_edits, check_unstarred, read_prepare
from prepare_fix.codemods.tree import Tree, parse_expression
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import SpliceArgument
from prepare_fix.sources.text import SourceText, Span

_LINE_END = re.compile(r"\r\n|\r|\n")


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
    check_unstarred([code], "arguments of the call")
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
        return replace(call, arguments=_moved_out(display, call.arguments), positional=len(display.items))
    if display.has_comments():
        raise CannotRewriteError("comments stand in the list")
    return call.insert(index + 1, display.codes).remove(index)


def _moved_out(display: Elements, outer: Elements) -> Elements:
    """Return the display as the arguments of the call, indented as the display itself was."""
    if not (_LINE_END.search(outer.opening) and _LINE_END.search(display.opening)):
        return display
    inner, wanted = (_LINE_END.split(each.opening)[-1] for each in (display, outer))
    deeper = re.compile(rf"({_LINE_END.pattern}){re.escape(inner)}")
    items = [replace(item, gap=deeper.sub(rf"\g<1>{wanted}", item.gap)) for item in display.items]
    last = items[-1]
    end = list(_LINE_END.finditer(last.gap))[-1:]
    if end and _LINE_END.search(outer.items[0].gap):
        items[-1] = replace(last, gap=last.gap[: end[0].end()] + _LINE_END.split(outer.items[0].gap)[-1])
    return replace(display, opening=outer.opening, items=tuple(items))
