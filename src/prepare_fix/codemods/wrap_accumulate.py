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
    return indent_under(source, repair.statements, header)
