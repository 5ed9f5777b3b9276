"""Assign the result of a call of ``prepare`` to other targets."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from prepare_fix.codemods.elements import Element, Elements
from prepare_fix.codemods.prepare_call import PrepareCall, Targets, build_edits, read_prepare
from prepare_fix.codemods.spelling import spell
from prepare_fix.edits import Edit
from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import BindTargets
from prepare_fix.sources.text import SourceText, Span


def render(source: SourceText, repair: BindTargets) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statement does something else with the result than to assign it once.
    """
    call = read_prepare(source, repair.site)
    return build_edits(call, _bind(call, [spell(source, target) for target in repair.targets]))


def _bind(call: PrepareCall, targets: Sequence[str]) -> PrepareCall:
    if not targets:
        raise CannotRewriteError("there are no targets to assign to")
    if call.targets is not None:
        return call.with_targets(_change(call.targets.elements, targets, call.source.newline))
    if not call.is_discarded:
        raise CannotRewriteError("the result of the call goes elsewhere than to targets of its own")
    elements = Elements("", tuple(map(Element, targets))).on_one_line()
    start = call.site.statement.start
    return call.assigned(Targets(Span(start, start), "", elements, "", is_single=len(targets) == 1))


def _change(elements: Elements, targets: Sequence[str], newline: str) -> Elements:
    """Return ``elements`` with the codes ``targets``: those that come and go are found, else all change in place."""
    have, want = len(elements.items), len(targets)
    changes = SequenceMatcher(None, elements.codes, targets, autojunk=False).get_opcodes()
    if {kind for kind, *_ in changes} <= {"equal", "insert" if want > have else "delete"}:
        spans = [change for kind, *change in changes if kind != "equal"]
    else:
        spans = [[min(have, want), have, have, want]]
    # From the end, so that indexes stay right.
    for start, end, new_start, new_end in reversed(spans):
        elements = elements.insert(start, targets[new_start:new_end], newline)
        for index in range(end - 1, start - 1, -1):
            elements = elements.remove(index)
    for index, target in enumerate(targets):
        elements = elements.replace(index, target)
    return elements
