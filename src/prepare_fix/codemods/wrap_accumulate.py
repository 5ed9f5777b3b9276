"""Put the body of a training loop under ``accelerator.accumulate``."""

from __future__ import annotations

from prepare_fix.codemods.lines import indent_under
from prepare_fix.edits import Edit
from prepare_fix.repairs import WrapAccumulate
from prepare_fix.sources.text import SourceText


def render(source: SourceText, repair: WrapAccumulate) -> tuple[Edit, ...]:
    """Return the edits that make ``repair``.

    Raises:
        CannotRewriteError: the statements are no run of one block, or share a line with others.
    """
    header = f"with {repair.accelerator}.accumulate({', '.join(repair.models)}):"
    edits = {edit.span: edit for edit in indent_under(source, repair.statements, header)}
    for statement in repair.guarded:
        first, *rest = indent_under(source, (statement,), f"if {repair.accelerator}.sync_gradients:")
        unit = edits[first.span].new
        # The condition and what stands under it are both one step deeper than the loop was.
        edits[first.span] = Edit(first.span, "", unit + first.new + unit)
        edits.update({edit.span: Edit(edit.span, "", edits[edit.span].new + edit.new) for edit in rest})
    return tuple(edits.values())
