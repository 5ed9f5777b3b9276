"""Leave objects out of a call of ``prepare``."""

from __future__ import annotations

from prepare_fix.codemods.prepare_call import PrepareCall, build_edits, check_unstarred, read_prepare
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import DropArguments
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: DropArguments) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: no argument would be left, or the targets don't tell which of them belong to these.
    """
    call = read_prepare(source, repair.site)
    indexes = sorted(set(repair.indexes), reverse=True)
    _check(call, indexes)
    result = call
    for index in indexes:
        result = result.remove(index)
        if result.placement is not None:
            result = result.with_placement(result.placement[1].remove(index))
        if result.targets is not None:
            result = result.with_targets(result.targets.elements.remove(index))
    return build_edits(call, result)


def _check(call: PrepareCall, indexes: list[int]) -> None:
    if not indexes or indexes[0] >= call.positional:
        raise CannotRewriteError("the call has fewer arguments than expected")
    if len(indexes) == call.positional:
        raise CannotRewriteError("no argument would be left in the call")
    check_unstarred((*call.objects, *call.names), "objects of the call")
    if call.placement is not None and len(call.placement[1].items) != call.positional:
        raise CannotRewriteError("`device_placement` does not have one entry for each argument")
    if not call.is_discarded and len(call.names) != call.positional:
        raise CannotRewriteError("the call has not as many targets as arguments")
