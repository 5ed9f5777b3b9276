"""Hand more objects to a call of ``prepare``, and move the call where all of them exist."""

from __future__ import annotations

from collections.abc import Iterable

from prepare_fix.codemods.lines import move_lines
from prepare_fix.codemods.prepare_call import PrepareCall, build_edits, check_unstarred, read_prepare
from prepare_fix.codemods.spelling import spell
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import Addition, JoinPrepare
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: JoinPrepare) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the call, its targets or its ``device_placement`` can't take the objects.
    """
    call = read_prepare(source, repair.site)
    edits = build_edits(call, add_objects(call, repair.additions))
    if repair.behind is None:
        return edits
    return move_lines(source, repair.site.statement, repair.behind, edits)


def add_objects(call: PrepareCall, additions: Iterable[Addition]) -> PrepareCall:
    """Return ``call`` with ``additions`` among its arguments, its targets and its ``device_placement``.

    Raises:
        CannotRewriteError: one of the three can't take them.
    """
    result, newline = call, call.source.newline
    # Last ones first, so that the indexes of the others stay right.
    for addition in sorted(reversed(tuple(additions)), key=lambda addition: -addition.index):
        _check(call, addition)
        result = result.insert(addition.index, [spell(call.source, addition.argument)])
        if result.placement is not None:
            result = result.with_placement(result.placement[1].insert(addition.index, ["True"], newline))
        if addition.target is not None and result.targets is not None:
            target = spell(call.source, addition.target)
            result = result.with_targets(result.targets.elements.insert(addition.index, [target], newline))
    return result


def _check(call: PrepareCall, addition: Addition) -> None:
    if addition.index > call.positional:
        raise CannotRewriteError("the call has fewer arguments than expected")
    check_unstarred(call.objects[: addition.index], "arguments of the call")
    if call.placement is not None and len(call.placement[1].items) != call.positional:
        raise CannotRewriteError("`device_placement` does not have one entry for each argument")
    if addition.target is None:
        return
    if call.targets is None:
        raise CannotRewriteError("the result of the call is not assigned to names of its own")
    if call.targets.is_single and call.positional > 1:
        raise CannotRewriteError("one name takes the whole result of the call")
    if addition.index > len(call.names):
        raise CannotRewriteError("the call has fewer targets than expected")
    check_unstarred(call.names[: addition.index], "targets of the call")
