"""Make one call of ``prepare`` out of two, at the place of the later one."""

from __future__ import annotations

from dataclasses import replace

from prepare_fix.codemods.elements import Element, Elements
from prepare_fix.codemods.lines import own_lines, remove_lines
from prepare_fix.codemods.prepare_call import PrepareCall, build_edits, check_unstarred, read_prepare
from prepare_fix.codemods.tree import parse_lines
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import MergePrepares
from prepare_fix.sources.text import SourceText, Span

# What each of these does to its one object, `prepare` does to that object too.
_METHODS = ("prepare", "prepare_model", "prepare_optimizer", "prepare_data_loader", "prepare_scheduler")


def render(source: SourceText, repair: MergePrepares) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the two calls don't fit each other, or one has no targets of its own.
    """
    first, second = (read_prepare(source, site, _METHODS) for site in (repair.first, repair.second))
    _check(first, second)
    merged = _merge(first, second)
    removal = remove_lines(source, repair.first.statement)
    return (removal, *_with_comments(source, repair, build_edits(second, merged)))


def _check(first: PrepareCall, second: PrepareCall) -> None:
    if first.receiver != second.receiver:
        raise CannotRewriteError("the two calls are made on different receivers")
    for call in (first, second):
        check_unstarred((*call.objects, *call.names), "objects of the call")
        if call.targets is None or (call.targets.is_single and call.positional > 1):
            raise CannotRewriteError("the result of a call is not assigned to names of its own")
        if len(call.names) != call.positional:
            raise CannotRewriteError("a call has not as many targets as arguments")
        if call.positional + (call.placement is not None) != len(call.arguments.items):
            raise CannotRewriteError("a call has other keywords than `device_placement`")
        if call.source.slice(call.method) != "prepare" and (call.positional != 1 or call.placement is not None):
            raise CannotRewriteError("a call of a method for one object gives it more than the object")
    if set(first.objects) & set(second.objects) or set(first.names) & set(second.names):
        raise CannotRewriteError("an object stands in both calls")


def _merge(first: PrepareCall, second: PrepareCall) -> PrepareCall:
    newline = second.source.newline
    assert second.targets is not None
    merged = second.insert(0, first.objects)
    merged = merged.with_targets(second.targets.elements.insert(0, first.names, newline))
    if first.placement is None and second.placement is None:
        return merged
    # `None` is what `prepare` itself takes for each object where no placement is given (accelerate 1.15.0,
    # accelerator.py, `Accelerator.prepare`): the setting of the accelerator.
    entries = _placement(first) + _placement(second)
    if merged.placement is not None:
        return merged.with_placement(merged.placement[1].insert(0, entries[: first.positional], newline))
    placement = Elements("", tuple(map(Element, entries))).on_one_line()
    arguments = merged.arguments.insert(merged.positional, [f"device_placement=[{placement.text}]"], newline)
    return replace(merged, arguments=arguments)


def _placement(call: PrepareCall) -> tuple[str, ...]:
    entries = call.placement[1].codes if call.placement else ("None",) * call.positional
    if len(entries) != call.positional:
        raise CannotRewriteError("`device_placement` does not have one entry for each argument")
    return entries


def _with_comments(source: SourceText, repair: MergePrepares, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return ``edits`` and the one that puts the comments of the first statement in front of the second."""
    lines, second = own_lines(source, repair.first.statement), own_lines(source, repair.second.statement)
    indentation = source.indentation(repair.second.statement.start)
    comments = parse_lines(source.slice(lines)).comments
    text = "".join(f"{indentation}{comment}{source.newline}" for comment in comments)
    if not text:
        return edits
    if edits[0].span.start == second.start:
        head = edits[0]
        return (Edit(head.span, head.old, text + head.new), *edits[1:])
    return (Edit(Span(second.start, second.start), "", text), *edits)
